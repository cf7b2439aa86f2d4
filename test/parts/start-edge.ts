import { fileURLToPath } from "node:url";
import { type EdgeServer, startEdgeServer } from "../../origin/stack/edge-server.ts";
import { startNodeEdgeServer } from "../../origin/stack/node-edge-server.ts";
import { entryOverHttps } from "./https.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { entryWithClock } from "./wrong-clock.ts";

/** Which edge this run of the test files looks at: vitest.config.ts runs the suites of both once for each. */
export const EDGE_RUNTIME = process.env["SLUICE_EDGE"] === "node" ? "node" : "worker";

type EdgeOptions = {
  /** The whole edge unless told otherwise. */
  readonly entry?: "gate" | "bare-proxy";
  /** How far the edge's own clock is off. */
  readonly clockOffMs?: number;
  /** Whether requests came over https, as on Cloudflare; the worker alone. */
  readonly isHttps?: boolean;
  readonly originAddress: string;
  readonly variables: Readonly<Record<string, string>>;
  /** `host:port` of the only address that a worker may fetch from. */
  readonly storeAddress: string;
  /** What the edge on Node is told of the store in place of UPSTASH_REDIS_REST_URL; left out, it asks over HTTP too. */
  readonly redisUrl?: string;
  readonly logFile?: string;
};

/** A real edge as a process of its own, in the runtime that this run is about. */
export async function startEdge({ entry = "gate", redisUrl, storeAddress, ...options }: EdgeOptions): Promise<EdgeServer> {
  const entryFile = await wrapped(fileOf(ENTRY_FILES[EDGE_RUNTIME][entry]), options);
  if (EDGE_RUNTIME === "worker") return startEdgeServer({ ...options, folder: await temporaryFolder(), entryFile, storeAddress });
  const variables = redisUrl === undefined ? options.variables : { ...options.variables, REDIS_URL: redisUrl };
  return startNodeEdgeServer({ ...options, entryFile, variables });
}

const ENTRY_FILES = {
  worker: { gate: "worker.ts", "bare-proxy": "bare-proxy.ts" },
  node: { gate: "node.ts", "bare-proxy": "node/bare-proxy.ts" },
} as const;

async function wrapped(
  entryFile: string,
  { clockOffMs: offMs = 0, isHttps = false }: Pick<EdgeOptions, "clockOffMs" | "isHttps">,
): Promise<string> {
  if (isHttps) return entryOverHttps({ entryFile, folder: await temporaryFolder() });
  if (offMs === 0) return entryFile;
  return entryWithClock({ runtime: EDGE_RUNTIME, entryFile, folder: await temporaryFolder(), offMs });
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`../../edge/${name}`, import.meta.url));
}
