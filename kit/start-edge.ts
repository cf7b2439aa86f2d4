import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import {
  BUNDLE,
  bundleWorker,
  type EdgeServer,
  startEdgeServer,
  startNodeEdgeServer,
} from "../stack/servers/edge-server.ts";
import { entryOverHttps } from "./https.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { entryWithClock } from "./wrong-clock.ts";

/** The edge that this run tests: vitest.config.ts runs the common suites once for each. */
export const EDGE_RUNTIME = process.env["SLUICE_EDGE"] === "node" ? "node" : "worker";

const { NODE_COMPILE_CACHE } = process.env;
/** With its code compiled before, an edge on Node starts in half the time. */
const COMPILE_CACHE = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

type EdgeOptions = {
  /** The whole edge by default. */
  readonly entry?: "gate" | "bare-proxy";
  /** How far the edge's own clock is off. */
  readonly clockOffMs?: number;
  /** Whether requests came over https, as on Cloudflare; only for the worker. */
  readonly isHttps?: boolean;
  readonly originAddress: string;
  readonly variables: Readonly<Record<string, string>>;
  /** `host:port` of the only address that a worker may fetch from. */
  readonly storeAddress: string;
  /** The store's variables for the edge on Node, instead of UPSTASH_REDIS_REST_URL; left out, it uses HTTP too. */
  readonly redisUrl?: string;
  readonly logFile?: string;
};

/** A real edge as its own process, in the runtime of this run. */
export async function startEdge({
  entry = "gate",
  redisUrl,
  storeAddress,
  ...options
}: EdgeOptions): Promise<EdgeServer> {
  const plainFile = fileOf(ENTRY_FILES[EDGE_RUNTIME][entry]);
  const entryFile = await wrapped(plainFile, options);
  if (EDGE_RUNTIME === "worker") {
    const bundle = entryFile === plainFile ? { bundleFile: await bundleOf(plainFile) } : {};
    return startEdgeServer({ ...options, ...bundle, folder: await temporaryFolder(), entryFile, storeAddress });
  }
  const variables = { ...options.variables, ...COMPILE_CACHE, ...(redisUrl !== undefined && { REDIS_URL: redisUrl }) };
  return startNodeEdgeServer({ ...options, entryFile, variables });
}

/** Made once in a run: half of an edge's start is its bundle. */
async function bundleOf(entryFile: string): Promise<string> {
  const runFolder = dirname(inject("serverPool"));
  const bundleFolder = join(runFolder, `bundle-${basename(dirname(entryFile))}`);
  if (!existsSync(bundleFolder)) {
    const draft = await mkdtemp(join(runFolder, "draft-"));
    await bundleWorker(entryFile, draft);
    // Another test file's may be there by now, and is the same.
    await rename(draft, bundleFolder).catch(() => rm(draft, { recursive: true }));
  }
  return join(bundleFolder, BUNDLE);
}

const ENTRY_FILES = {
  worker: { gate: "worker.ts", "bare-proxy": "bare/worker.ts" },
  node: { gate: "node.ts", "bare-proxy": "bare/node.ts" },
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
  return fileURLToPath(new URL(`../edge/${name}`, import.meta.url));
}
