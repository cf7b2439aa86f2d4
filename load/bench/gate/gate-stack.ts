import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newSecret, systemRandom } from "../../../shared/ids.ts";
import { newTokenKey } from "../../../shared/tokens/new-token-key.ts";
import { startEdgeServer } from "../../../stack/servers/edge-server.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { cpuSecondsOf, startNodeServer } from "../http/node-server.ts";
import { pinProcess } from "../pinned.ts";

/**
 * Redis, the bridge, an origin and the load on one core; the edges on the other, one under load at a time. The rate of
 * an edge is then the inverse of the core time per request.
 */
export type GateStack = {
  readonly redisUrl: string;
  readonly adminToken: string;
  readonly originUrl: string;
  readonly startEntry: (kind: EntryKind) => Promise<Entry>;
  /** Another server under measurement, on the core of the edges. */
  readonly startRival: (rival: Rival) => Promise<Entry>;
  readonly stop: () => Promise<void>;
};

export type Entry = {
  readonly url: string;
  readonly pid: number;
  /** Processor time of its process so far. */
  readonly cpuSeconds: () => number;
};

type Rival = {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly readyPath: string;
  /** Node by default. */
  readonly program?: string;
};

/**
 * `gate` is the deployed edge in workerd, `proxy` the same without a gate, `gate on node` the edge on Node. The others
 * answer admitted requests themselves instead of forwarding them, one per runtime.
 */
export type EntryKind = "gate" | "proxy" | "answering workerd" | NodeEntryKind;

type NodeEntryKind = "gate on node" | "answering node";

const SUBJECT_CORE = 1;
export const OTHER_CORE = 0;
const ORIGIN_ANSWER = JSON.stringify({
  pair: "BTC-USD",
  bids: Array.from({ length: 20 }, (_, i) => [String(64_000 - i), "0.25"]),
});
/** All visitors share one address. */
const JOINS_PER_ADDRESS = "1000000";
/** The processor time of a call is measured, not its delay on a machine that others use too. */
const STORE_TIMEOUT_MS = "5000";

export async function startGateStack(): Promise<GateStack> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  const redis = await startRedisServer({ folder: join(folder, "redis"), fsync: "no" });
  pinProcess(redis.child.pid, OTHER_CORE);
  const storeToken = newSecret(systemRandom);
  const adminToken = newSecret(systemRandom);
  const bridge = await startBridgeProcess({ redisUrl: redis.url, token: storeToken });
  const origin = await startOrigin();
  const key = await newTokenKey("bench");
  const variables = {
    CLIENT_ADDRESS_FROM: "socket",
    SLUICE_ADMIN_TOKEN: adminToken,
    SLUICE_SIGNING_KEYS: JSON.stringify({ active: key.kid, keys: [key] }),
    SLUICE_JOINS_PER_ADDRESS: JOINS_PER_ADDRESS,
    STORE_TIMEOUT_MS,
  };
  const stops: (() => Promise<void>)[] = [];

  async function startWorkerd(kind: Exclude<EntryKind, NodeEntryKind>): Promise<Entry> {
    const edge = await startEdgeServer({
      folder: join(folder, kind.replace(" ", "-")),
      entryFile: fileURLToPath(WORKER_FILES[kind]),
      originAddress: origin.url.slice("http://".length),
      storeAddress: bridge.url.slice("http://".length),
      variables: { ...variables, UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: storeToken },
    });
    stops.push(edge.stop);
    pinProcess(edge.child.pid, SUBJECT_CORE);
    return { url: edge.url, pid: edge.child.pid, cpuSeconds: () => cpuSecondsOf(edge.child.pid) };
  }

  async function startNode(kind: NodeEntryKind): Promise<Entry> {
    const port = await freePort();
    const edge = await startNodeServer({
      core: SUBJECT_CORE,
      file: fileURLToPath(NODE_FILES[kind]),
      environment: {
        ...variables,
        SLUICE_PORT: String(port),
        REDIS_URL: redis.url,
        ORIGIN_URL: origin.url,
        NODE_OPTIONS: `--import=${LUA_LOADER}`,
      },
      url: `http://127.0.0.1:${port}`,
      readyPath: "/_sluice/jwks.json",
    });
    stops.push(edge.stop);
    return edge;
  }

  async function startRival({ file, environment, readyPath, program }: Rival): Promise<Entry> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const rival = await startNodeServer({
      ...{ core: SUBJECT_CORE, file, url, readyPath, ...(program !== undefined && { program }) },
      environment: { ...environment, PORT: String(port) },
    });
    stops.push(rival.stop);
    return rival;
  }

  return {
    redisUrl: redis.url,
    adminToken,
    originUrl: origin.url,
    startEntry: (kind) => (kind === "answering node" || kind === "gate on node" ? startNode(kind) : startWorkerd(kind)),
    startRival,
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      await Promise.all([bridge.stop(), origin.stop(), redis.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const LUA_LOADER = new URL("../../../stack/program/lua-loader.ts", import.meta.url).href;

const NODE_FILES = {
  "gate on node": new URL("../../../edge/node.ts", import.meta.url),
  "answering node": new URL("./gate-node-server.ts", import.meta.url),
};

const WORKER_FILES = {
  gate: new URL("../../../edge/worker.ts", import.meta.url),
  proxy: new URL("../../../edge/bare/worker.ts", import.meta.url),
  "answering workerd": new URL("./gate-worker.ts", import.meta.url),
};

async function startBridgeProcess({ redisUrl, token }: { readonly redisUrl: string; readonly token: string }) {
  const file = fileURLToPath(new URL("../../../bridge/main.ts", import.meta.url));
  const port = await freePort();
  const environment = { REDIS_URL: redisUrl, SLUICE_BRIDGE_PORT: String(port), SLUICE_BRIDGE_TOKEN: token };
  return startNodeServer({
    core: OTHER_CORE,
    file,
    environment,
    url: `http://127.0.0.1:${port}`,
    readyPath: "/health",
  });
}

async function startOrigin() {
  const file = fileURLToPath(new URL("../http/bare-http-server.ts", import.meta.url));
  const port = await freePort();
  const environment = { PORT: String(port), ANSWER: ORIGIN_ANSWER };
  return startNodeServer({ core: OTHER_CORE, file, environment, url: `http://127.0.0.1:${port}`, readyPath: "/" });
}
