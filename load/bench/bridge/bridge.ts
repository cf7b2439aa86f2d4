import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { assert } from "../../../shared/assert.ts";
import { freePort } from "../../../stack/servers/free-port.ts";
import { startRedisServer } from "../../../stack/servers/redis-server.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { type HttpFigures, type HttpLoad, measureFaultless } from "../http/http-load.ts";
import { startNodeServer } from "../http/node-server.ts";
import { pinProcess } from "../pinned.ts";
import { redisBenchmark } from "../redis-benchmark.ts";

/**
 * The bridge on one core. Pipelines are compared with `redis-benchmark` at the same command and depth, without HTTP;
 * single commands with a bare `node:http` server that sends the same bytes without a store. Redis and the load share
 * the other core, so that the bridge is the bottleneck.
 */
export const bridgeBenchmark: Benchmark = {
  name: "bridge",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
    const redis = await startRedisServer({ folder, fsync: "no" });
    pinProcess(redis.child.pid, OTHER_CORE);
    const bridge = await startBridgeProcess(redis.url);
    const bare = await startBareServer();
    try {
      const sides = { effort, bridgeUrl: bridge.url, bareUrl: bare.url, redisPort: redis.port, redisUrl: redis.url };
      return [await comparePipelines("SET", sides), await comparePipelines("GET", sides), await compareSingles(sides)];
    } finally {
      await Promise.all([bridge.stop(), bare.stop(), redis.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const FULL = { rounds: 5, durationMs: 2_000, warmUpMs: 500, redisRequests: 3_000_000 };
const QUICK = { rounds: 1, durationMs: 300, warmUpMs: 200, redisRequests: 50_000 };

const SUBJECT_CORE = 1;
const OTHER_CORE = 0;
const CONNECTIONS = 50;
const DEPTH = 16;
const PIPELINE_AIM = 0.25;
const SINGLE_AIM = 0.5;
const TOKEN = "a-token-for-benchmarks-only";

/** The commands of `redis-benchmark`. */
const KEY = "key:__rand_int__";
const VALUE = "xxx";
const COMMANDS = { SET: ["SET", KEY, VALUE], GET: ["GET", KEY] } as const;

type Sides = {
  readonly effort: typeof FULL;
  readonly bridgeUrl: string;
  readonly bareUrl: string;
  readonly redisPort: number;
  readonly redisUrl: string;
};

async function comparePipelines(
  name: keyof typeof COMMANDS,
  { effort, bridgeUrl, redisPort, redisUrl }: Sides,
): Promise<BenchmarkRow> {
  const body = JSON.stringify(Array.from({ length: DEPTH }, () => COMMANDS[name]));
  let throughBridge = 0;
  const callsBefore = await callsOf(name, redisUrl);
  const rounds = await alternate({
    rounds: effort.rounds,
    subject: async () => {
      const { answers, requestsPerSecond } = await measure({ url: `${bridgeUrl}/pipeline`, body }, effort);
      throughBridge += DEPTH * answers;
      return DEPTH * requestsPerSecond;
    },
    baseline: () =>
      redisBenchmark({
        ...{ command: name, port: redisPort, clients: CONNECTIONS, depth: DEPTH },
        ...{ requests: effort.redisRequests, core: SUBJECT_CORE },
      }),
  });
  const what = `${name} in pipelines of ${DEPTH} through the bridge, against redis-benchmark -P ${DEPTH}`;
  const counted = (await callsOf(name, redisUrl)) - callsBefore;
  const byBenchmark = effort.rounds * effort.redisRequests;
  assert(counted >= throughBridge + byBenchmark, `Redis counted fewer ${name} commands than both sides sent`);
  const notes = `Redis counted ${counted} commands, ${throughBridge} of them answered by the bridge and ${byBenchmark} by redis-benchmark`;
  return { ...benchmarkRow({ what, unit: "commands/s", aim: PIPELINE_AIM, ...rounds }), notes };
}

async function callsOf(name: string, redisUrl: string): Promise<number> {
  const redis = new Redis(redisUrl);
  const stats = await redis.info("commandstats");
  redis.disconnect();
  return Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, "im").exec(stats)?.[1] ?? 0);
}

async function compareSingles({ effort, bridgeUrl, bareUrl }: Sides): Promise<BenchmarkRow> {
  const body = JSON.stringify(COMMANDS.GET);
  const rounds = await alternate({
    rounds: effort.rounds,
    subject: async () => (await measure({ url: `${bridgeUrl}/`, body }, effort)).requestsPerSecond,
    baseline: async () => (await measure({ url: `${bareUrl}/`, body }, effort)).requestsPerSecond,
  });
  const what = "single GET through the bridge, against a bare node:http server with the same answer";
  return benchmarkRow({ what, unit: "requests/s", aim: SINGLE_AIM, ...rounds });
}

function measure(
  request: Pick<HttpLoad, "url" | "body">,
  { durationMs, warmUpMs }: Sides["effort"],
): Promise<HttpFigures> {
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    "content-type": "application/json",
    "upstash-encoding": "base64",
  };
  const load = {
    ...request,
    method: "POST",
    headers,
    connections: CONNECTIONS,
    durationMs,
    warmUpMs,
    core: OTHER_CORE,
  } as const;
  return measureFaultless(load);
}

async function startBridgeProcess(redisUrl: string) {
  const file = fileURLToPath(new URL("../../../bridge/main.ts", import.meta.url));
  const port = await freePort();
  const environment = { REDIS_URL: redisUrl, SLUICE_BRIDGE_PORT: String(port), SLUICE_BRIDGE_TOKEN: TOKEN };
  return startNodeServer({
    core: SUBJECT_CORE,
    file,
    environment,
    url: `http://127.0.0.1:${port}`,
    readyPath: "/health",
  });
}

async function startBareServer() {
  const file = fileURLToPath(new URL("../http/bare-http-server.ts", import.meta.url));
  const port = await freePort();
  const answer = JSON.stringify({ result: Buffer.from(VALUE).toString("base64") });
  const environment = { PORT: String(port), ANSWER: answer };
  return startNodeServer({ core: SUBJECT_CORE, file, environment, url: `http://127.0.0.1:${port}`, readyPath: "/" });
}
