import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { spawnPinned } from "./pinned.ts";

export type HttpLoad = {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Many visitors: each request carries the next of these as its Cookie header, over and over. */
  readonly cookies?: readonly string[];
  /** Many callers: each request is the next of these, over and over. What a variant does not name is the same for all. */
  readonly variants?: readonly RequestVariant[];
  /** Each connection has one request under way at a time: a closed loop, unless there is a rate. */
  readonly connections: number;
  /**
   * An open loop: so many requests come in per second, at random moments, whether or not those before are answered. The latency of each
   * counts from the moment it came in, so that a server that stalls is not spared those who would have come meanwhile.
   */
  readonly ratePerSecond?: number;
  readonly durationMs: number;
  /** Answers that come in this time are not counted. */
  readonly warmUpMs?: number;
  /** The core the load runs on; the server under test belongs on the other one. The first unless told otherwise. */
  readonly core?: 0 | 1 | "any";
};

export type RequestVariant = { readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

const httpFigures = z.object({
  /** All answers that came, those of the warm-up too. */
  answers: z.number().int(),
  requestsPerSecond: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  p999Ms: z.number(),
  /** Answers outside 2xx and broken connections. */
  errors: z.number().int(),
});

export type HttpFigures = z.infer<typeof httpFigures>;

const CLIENT_FILE = fileURLToPath(new URL("./http-load-client.ts", import.meta.url));
const WARM_UP_MS = 500;

/** Load from a process of its own, so that it can have its own core and never shares the server's event loop. */
export async function measureHttp(load: HttpLoad): Promise<HttpFigures> {
  const { core = 0, ...asked } = load;
  const order = JSON.stringify({ method: "GET", headers: {}, body: "", warmUpMs: WARM_UP_MS, ...asked });
  const child = spawnPinned({
    ...(core === "any" ? {} : { core }),
    command: process.execPath,
    args: [CLIENT_FILE],
    spawnOptions: { stdio: ["pipe", "pipe", "inherit"] },
  });
  assert(child.stdin !== null && child.stdout !== null, "the load's process has pipes");
  child.stdin.end(order);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`the load's process ended with ${String(code)}`);
  return httpFigures.parse(JSON.parse(output));
}
