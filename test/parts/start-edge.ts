import { fileURLToPath } from "node:url";
import { type EdgeServer, startEdgeServer } from "../../origin/stack/edge-server.ts";
import { startNodeEdgeServer } from "../../origin/stack/node-edge-server.ts";
import { assert } from "../../shared/assert.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Which edge this run of the test files looks at: vitest.config.ts runs the suites of both once for each. */
export const EDGE_RUNTIME = process.env["SLUICE_EDGE"] === "node" ? "node" : "worker";

type EdgeOptions = {
  /** The whole edge unless told otherwise. */
  readonly entry?: "gate" | "bare-proxy";
  /** Another worker in its place; there is no such thing on Node. */
  readonly entryFile?: string;
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
  if (EDGE_RUNTIME === "worker") {
    const entryFile = options.entryFile ?? fileOf(entry === "gate" ? "worker.ts" : "bare-proxy.ts");
    return startEdgeServer({ ...options, folder: await temporaryFolder(), entryFile, storeAddress });
  }
  assert(options.entryFile === undefined, "a worker runs in workerd");
  const entryFile = fileOf(entry === "gate" ? "node.ts" : "node/bare-proxy.ts");
  const variables = redisUrl === undefined ? options.variables : { ...options.variables, REDIS_URL: redisUrl };
  return startNodeEdgeServer({ ...options, entryFile, variables });
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`../../edge/${name}`, import.meta.url));
}
