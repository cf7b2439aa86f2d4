import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { freePort } from "../../origin/stack/free-port.ts";
import { startRedisServer } from "../../origin/stack/redis-server.ts";
import { assert } from "../../shared/assert.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow } from "./benchmark.ts";
import { type HttpLoad, measureHttp } from "./http-load.ts";
import { startNodeServer } from "./node-server.ts";
import { pinProcess, spawnPinned } from "./pinned.ts";

/**
 * The bridge on one core. Pipelines stand against `redis-benchmark` with the same command and depth, which speaks to
 * Redis without any HTTP; single commands stand against a bare `node:http` server that answers the same bytes and asks
 * nobody. Redis and the load share the other core: the bridge must be what is short of time.
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
      const sides = { effort, bridgeUrl: bridge.url, bareUrl: bare.url, redisPort: redis.port };
      return [await comparePipelines("SET", sides), await comparePipelines("GET", sides), await compareSingles(sides)];
    } finally {
      await Promise.all([bridge.stop(), bare.stop(), redis.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const FULL = { rounds: 5, durationMs: 2_000, warmUpMs: 500, redisRequests: 3_000_000 };
const QUICK = { rounds: 1, durationMs: 300, warmUpMs: 200, redisRequests: 100_000 };

const SUBJECT_CORE = 1;
const OTHER_CORE = 0;
const CONNECTIONS = 50;
const DEPTH = 16;
const PIPELINE_AIM = 0.25;
const SINGLE_AIM = 0.5;
const TOKEN = "a-token-for-benchmarks-only";

/** What `redis-benchmark` sends by itself. */
const KEY = "key:__rand_int__";
const VALUE = "xxx";
const COMMANDS = { SET: ["SET", KEY, VALUE], GET: ["GET", KEY] } as const;

type Sides = {
  readonly effort: typeof FULL;
  readonly bridgeUrl: string;
  readonly bareUrl: string;
  readonly redisPort: number;
};

async function comparePipelines(name: keyof typeof COMMANDS, { effort, bridgeUrl, redisPort }: Sides): Promise<BenchmarkRow> {
  const body = JSON.stringify(Array.from({ length: DEPTH }, () => COMMANDS[name]));
  const rounds = await alternate({
    rounds: effort.rounds,
    subject: async () => DEPTH * (await requestsPerSecond({ url: `${bridgeUrl}/pipeline`, body }, effort)),
    baseline: () => redisBenchmark(name, { port: redisPort, requests: effort.redisRequests }),
  });
  const what = `${name} in pipelines of ${DEPTH} through the bridge, against redis-benchmark -P ${DEPTH}`;
  return benchmarkRow({ what, unit: "commands/s", aim: PIPELINE_AIM, ...rounds });
}

async function compareSingles({ effort, bridgeUrl, bareUrl }: Sides): Promise<BenchmarkRow> {
  const body = JSON.stringify(COMMANDS.GET);
  const rounds = await alternate({
    rounds: effort.rounds,
    subject: () => requestsPerSecond({ url: `${bridgeUrl}/`, body }, effort),
    baseline: () => requestsPerSecond({ url: `${bareUrl}/`, body }, effort),
  });
  const what = "single GET through the bridge, against a bare node:http server with the same answer";
  return benchmarkRow({ what, unit: "requests/s", aim: SINGLE_AIM, ...rounds });
}

async function requestsPerSecond(request: Pick<HttpLoad, "url" | "body">, { durationMs, warmUpMs }: Sides["effort"]): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", "upstash-encoding": "base64" };
  const load = { ...request, method: "POST", headers, connections: CONNECTIONS, durationMs, warmUpMs, core: OTHER_CORE } as const;
  const figures = await measureHttp(load);
  if (figures.errors > 0) throw new Error(`${figures.errors} requests failed: the figure would mean nothing`);
  return figures.requestsPerSecond;
}

async function redisBenchmark(name: string, { port, requests }: { readonly port: number; readonly requests: number }): Promise<number> {
  const args = ["-p", String(port), "-c", String(CONNECTIONS), "-P", String(DEPTH), "-n", String(requests), "-t", name, "--csv"];
  const child = spawnPinned({
    core: SUBJECT_CORE,
    command: "redis-benchmark",
    args,
    spawnOptions: { stdio: ["ignore", "pipe", "ignore"] },
  });
  assert(child.stdout !== null, "redis-benchmark has a pipe");
  const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
  const perSecond = Number(new RegExp(`"${name}","([0-9.]+)"`, "i").exec(output)?.[1]);
  if (!Number.isFinite(perSecond)) throw new Error("redis-benchmark gave no figure");
  return perSecond;
}

async function startBridgeProcess(redisUrl: string) {
  const file = fileURLToPath(new URL("../../origin/redis-rest/main.ts", import.meta.url));
  const port = await freePort();
  const environment = { REDIS_URL: redisUrl, SLUICE_BRIDGE_PORT: String(port), SLUICE_BRIDGE_TOKEN: TOKEN };
  return startNodeServer({ core: SUBJECT_CORE, file, environment, url: `http://127.0.0.1:${port}`, readyPath: "/health" });
}

async function startBareServer() {
  const file = fileURLToPath(new URL("./bare-http-server.ts", import.meta.url));
  const port = await freePort();
  const answer = JSON.stringify({ result: Buffer.from(VALUE).toString("base64") });
  const environment = { PORT: String(port), ANSWER: answer };
  return startNodeServer({ core: SUBJECT_CORE, file, environment, url: `http://127.0.0.1:${port}`, readyPath: "/" });
}
