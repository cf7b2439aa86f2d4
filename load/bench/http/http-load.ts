import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { assert } from "../../../shared/assert.ts";
import { spawnPinned } from "../pinned.ts";

export type HttpLoad = {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Many visitors: the requests use these as Cookie headers in turn. */
  readonly cookies?: readonly string[];
  /** Many callers: the requests use these in turn. A variant overrides the common headers and body. */
  readonly variants?: readonly RequestVariant[];
  /** One request at a time per connection: a closed loop, unless there is a rate. */
  readonly connections: number;
  /** Open loop: requests per second at random times, independent of answers. Latency is measured from the due time. */
  readonly ratePerSecond?: number;
  readonly durationMs: number;
  /** Closed loop without warm-up: the measurement ends early with the answer to this request. */
  readonly requestsMax?: number;
  /** Answers in this time are not counted. */
  readonly warmUpMs?: number;
  /** The core of the load, by default the first; the server under test uses the other one. */
  readonly core?: 0 | 1 | "any";
};

export type RequestVariant = { readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

const httpFigures = z.object({
  /** All answers, including the warm-up. */
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

/** `measureHttp`, for servers that must answer every request: a figure with errors in it would mean nothing. */
export async function measureFaultless(load: HttpLoad): Promise<HttpFigures> {
  const figures = await measureHttp(load);
  if (figures.errors > 0)
    throw new Error(`${figures.errors} requests to ${load.url} failed: the figure would mean nothing`);
  return figures;
}

/** Load from a separate process, with its own core and event loop. */
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
