import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { freePort } from "../../origin/stack/free-port.ts";
import { startRedisServer } from "../../origin/stack/redis-server.ts";
import { PASS_HEADER } from "../../shared/admission.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow } from "./benchmark.ts";
import { type HttpFigures, measureHttp, type RequestVariant } from "./http-load.ts";
import { type NodeServer, startNodeServer } from "./node-server.ts";
import { pinProcess } from "./pinned.ts";

/**
 * Orders from the socket to the committed answer and back: HTTP, stream, engine, commit, answer, with the projections running behind and
 * every commit on disk. All of the venue is one process on one core; Redis and the load share the other.
 */
export const ordersHttpBenchmark: Benchmark = {
  name: "orders-http",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const stack = await startStack(effort.people);
    try {
      const single = createLoads(stack, "/api/v1/orders", ordersOf(stack.people, 1), effort);
      const nothing = createLoads(stack, "/api/v1/nothing", ordersOf(stack.people, 1), effort);
      const batch = createLoads(stack, "/api/v1/orders/batch", ordersOf(stack.people, BATCH), effort);
      await alternate({ rounds: effort.warmUpRounds, subject: single.closed, baseline: nothing.closed });
      const rounds = await alternate({ rounds: effort.rounds, subject: single.closed, baseline: nothing.closed });
      const perSecond = Math.max(...rounds.subjectRounds);
      const row = benchmarkRow({
        what: "orders, one at a time, against a POST that does nothing",
        unit: "requests/s",
        aim: 0.5,
        ...rounds,
      });
      return [
        { ...row, notes: `${single.latency()} with ${CONNECTIONS} at a time; doing nothing ${nothing.latency()}` },
        await againstBudget({
          what: "orders, one at a time, at half of that rate",
          load: single,
          ratePerSecond: perSecond / 2,
          aim: 1,
          effort,
        }),
        ...(await measureBatches(batch, effort)),
      ];
    } finally {
      await stack.stop();
    }
  },
};

const FULL = { rounds: 7, warmUpRounds: 3, durationMs: 2_000, warmUpMs: 500, openMs: 5_000, people: 32 };
const QUICK: typeof FULL = { rounds: 1, warmUpRounds: 1, durationMs: 200, warmUpMs: 50, openMs: 300, people: 4 };

const CONNECTIONS = 32;
const BATCH_CONNECTIONS = 8;
const BATCH = 100;
const ORDERS_PER_SECOND_AIM = 10_000;
const P99_MS_AIM = 5;
const SUBJECT_CORE = 1;
const OTHER_CORE = 0;

async function measureBatches(batch: Loads, effort: typeof FULL): Promise<readonly BenchmarkRow[]> {
  const subjectRounds: number[] = [];
  for (let round = 0; round < effort.rounds; round++) subjectRounds.push((await batch.closed()) * BATCH);
  const row = benchmarkRow({
    what: `orders, ${BATCH} in a request, against 10,000 a second`,
    unit: "orders/s",
    aim: 1,
    subjectRounds,
    baselineRounds: [ORDERS_PER_SECOND_AIM],
  });
  const ratePerSecond = Math.max(...subjectRounds) / BATCH / 2;
  return [
    { ...row, notes: `${batch.latency()}, with ${BATCH_CONNECTIONS} requests at a time` },
    // A hundred orders take some milliseconds of the one process by themselves: for knowing, not for reaching.
    await againstBudget({ what: `orders, ${BATCH} in a request, at half of that rate`, load: batch, ratePerSecond, aim: 0, effort }),
  ];
}

type Budget = {
  readonly what: string;
  readonly load: Loads;
  readonly ratePerSecond: number;
  readonly aim: number;
  readonly effort: typeof FULL;
};

/** How often the slowest percent would fit into the time that they may take. */
async function againstBudget({ what, load, ratePerSecond, aim, effort }: Budget): Promise<BenchmarkRow> {
  const seen: HttpFigures[] = [];
  for (let round = 0; round < effort.rounds; round++) seen.push(await load.open(ratePerSecond));
  const row = benchmarkRow({
    what: `${what}: the slowest percent, against ${P99_MS_AIM} ms`,
    unit: "1/s",
    aim,
    subjectRounds: seen.map(({ p99Ms }) => 1_000 / Math.max(p99Ms, 0.01)),
    baselineRounds: [1_000 / P99_MS_AIM],
  });
  return { ...row, notes: `${Math.round(ratePerSecond)} requests/s come in at random; ${seen.map(shownLatency).join("; ")}` };
}

const shownLatency = ({ p50Ms, p99Ms, p999Ms }: HttpFigures) =>
  `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, p99.9 ${p999Ms.toFixed(1)} ms`;

type Loads = {
  readonly closed: () => Promise<number>;
  readonly open: (ratePerSecond: number) => Promise<HttpFigures>;
  /** Of the last closed round: how long answers took, and what each order took of the process. */
  readonly latency: () => string;
};

function createLoads(stack: Stack, path: string, variants: readonly RequestVariant[], effort: typeof FULL): Loads {
  let last: HttpFigures | undefined;
  let microsecondsEach = Number.NaN;
  const common = { url: stack.server.url + path, method: "POST", headers: stack.headers, variants, core: OTHER_CORE } as const;
  const connections = path.endsWith("batch") ? BATCH_CONNECTIONS : CONNECTIONS;

  async function measure(load: Parameters<typeof measureHttp>[0]): Promise<HttpFigures> {
    const figures = await measureHttp(load);
    if (figures.errors > 0) throw new Error(`${figures.errors} requests to ${path} failed: the figure would mean nothing`);
    return figures;
  }

  return {
    async closed() {
      const before = stack.server.cpuSeconds();
      last = await measure({ ...common, connections, durationMs: effort.durationMs, warmUpMs: effort.warmUpMs });
      const cpuShare = ((stack.server.cpuSeconds() - before) * 1_000) / (effort.durationMs + effort.warmUpMs);
      microsecondsEach = (cpuShare * 1e6) / (last.requestsPerSecond * (path.endsWith("batch") ? BATCH : 1));
      return last.requestsPerSecond;
    },
    open: (ratePerSecond) =>
      measure({ ...common, connections: connections * 4, durationMs: effort.openMs, warmUpMs: effort.warmUpMs, ratePerSecond }),
    latency: () => (last === undefined ? "" : `${shownLatency(last)}, about ${microsecondsEach.toFixed(0)} µs of the process each`),
  };
}

/** Prices within twenty ticks of each other on both sides: about half of the orders trade at once, and the book neither empties nor fills. */
function ordersOf(people: readonly string[], count: number): readonly RequestVariant[] {
  const random = createRandom();
  const order = (side: string) => ({
    pair: "btcidr",
    side,
    type: "limit",
    price: String(1_000_000_000 + Math.floor(random() * 20) * 1_000),
    quantity: `0.000${10 + Math.floor(random() * 80)}`,
    // Nobody is refused for meeting themselves.
    selfTradePrevention: "cancelOldest",
  });
  return Array.from({ length: 512 }, (_, index) => {
    const side = (place: number) => ((index + place) % 2 === 0 ? "buy" : "sell");
    const body = count === 1 ? order(side(0)) : { orders: Array.from({ length: count }, (_each, place) => order(side(place))) };
    const token = people[(index >> 1) % people.length] ?? "";
    return { headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) };
  });
}

/** The same orders in every run. */
function createRandom(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

type Stack = {
  readonly server: NodeServer;
  readonly people: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
};

const peopleSchema = z.object({ pass: z.string(), tokens: z.array(z.string()) });
const LUA_LOADER = new URL("../../origin/lua-loader.ts", import.meta.url).href;

async function startStack(peopleCount: number): Promise<Stack> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  const redis = await startRedisServer({ folder: join(folder, "redis"), fsync: "always" });
  pinProcess(redis.child.pid, OTHER_CORE);
  const port = await freePort();
  const server = await startNodeServer({
    core: SUBJECT_CORE,
    file: fileURLToPath(new URL("./orders-server.ts", import.meta.url)),
    environment: {
      BENCH_PORT: String(port),
      BENCH_FOLDER: folder,
      BENCH_USERS: String(peopleCount),
      VENUE_REDIS_URL: redis.url,
      NODE_OPTIONS: `--import=${LUA_LOADER}`,
    },
    url: `http://127.0.0.1:${port}`,
    readyPath: "/health",
    readyWithinMs: READY_WITHIN_MS,
  });
  const { pass, tokens } = peopleSchema.parse(JSON.parse(await readFile(join(folder, "people.json"), "utf8")));
  return {
    server,
    people: tokens,
    headers: { [PASS_HEADER]: pass, "content-type": "application/json", "x-forwarded-for": "192.0.2.1" },
    stop: async () => {
      await server.stop();
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The embedded database is made, and everybody's password is hashed. */
const READY_WITHIN_MS = 120_000;
