import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow, median } from "../benchmark.ts";
import { type HttpFigures, type HttpLoad, measureFaultless, type RequestVariant } from "../http/http-load.ts";
import { orderVariants } from "./orders-bodies.ts";
import { type OrdersStack, type Side, startOrdersStack } from "./orders-stack.ts";

/**
 * Orders over HTTP up to the committed answer, at the origin and through the gate, as `npm start` runs them. They are
 * compared with a bare server that parses the same JSON and makes one durable XADD, and with source R: 5,000 to 10,000
 * orders a second within 5 ms.
 */
export const ordersHttpBenchmark: Benchmark = {
  name: "orders-http",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    const stack = await startOrdersStack(effort.people);
    try {
      return await measureAll(stack, effort);
    } finally {
      await stack.stop();
    }
  },
};

/** So many users that the limit of 100 orders a second per user never applies. */
const FULL = {
  rounds: 7,
  warmUpRounds: 3,
  durationMs: 2_000,
  warmUpMs: 500,
  openMs: 4_000,
  sustainedMs: 30_000,
  people: 96,
};
const QUICK: typeof FULL = {
  rounds: 1,
  warmUpRounds: 0,
  durationMs: 150,
  warmUpMs: 20,
  openMs: 150,
  sustainedMs: 150,
  people: 4,
};

const CONNECTIONS = 64;
const BATCH_CONNECTIONS = 8;
const BATCH = 100;
const ORIGIN_AIM = 0.6;
const EDGE_AIM = 0.35;
/** At most twice the baseline's. */
const P50_AIM = 1 / 2;
const P99_AIM = 1 / 2.5;
const SOURCE_ORDERS_PER_SECOND = 5_000;
const SOURCE_BATCHED_PER_SECOND = 10_000;
const SOURCE_MS = 5;

type Effort = typeof FULL;

async function measureAll(stack: OrdersStack, effort: Effort): Promise<readonly BenchmarkRow[]> {
  const { untilRecorded } = stack;
  const origin = createLoad(stack.origin, { effort, untilRecorded });
  const edge = createLoad(stack.edge, { effort, untilRecorded });
  const bare = createLoad(stack.bare, { effort, untilRecorded });
  if (effort.warmUpRounds > 0)
    for (const load of [origin, edge])
      await alternate({ rounds: effort.warmUpRounds, subject: load.perSecond, baseline: bare.perSecond });
  const atOrigin = await compareRates("at the origin", { subject: origin, baseline: bare, aim: ORIGIN_AIM, effort });
  const atEdge = await compareRates("through the gate", { subject: edge, baseline: bare, aim: EDGE_AIM, effort });
  return [
    atOrigin,
    atEdge,
    await compareFirst("at the origin", { subject: origin, baseline: bare, aim: P50_AIM, effort }),
    await compareFirst("through the gate", { subject: edge, baseline: bare, aim: 0, effort }),
    ...(await compareSlowest({ subject: origin, baseline: bare, rates: atOrigin, effort })),
    againstSource(atOrigin),
    await compareSustained(origin, { rates: atOrigin, effort }),
    ...(await measureBatches(createLoad(stack.origin, { effort, untilRecorded, batch: BATCH }), effort)),
  ];
}

type Sides = { readonly subject: Load; readonly baseline: Load; readonly aim: number; readonly effort: Effort };

async function compareRates(where: string, { subject, baseline, aim, effort }: Sides): Promise<BenchmarkRow> {
  const rounds = await alternate({ rounds: effort.rounds, subject: subject.perSecond, baseline: baseline.perSecond });
  const row = benchmarkRow({
    what: `orders ${where}, ${CONNECTIONS} at a time, against bare appends`,
    unit: "orders/s",
    aim,
    ...rounds,
  });
  return { ...row, notes: `${subject.facts()}; bare ${baseline.facts()}` };
}

/** One order at a time: the latency without load. */
async function compareFirst(where: string, { subject, baseline, aim, effort }: Sides): Promise<BenchmarkRow> {
  const of = (load: Load) => async () => 1_000 / Math.max((await load.alone()).p50Ms, 0.01);
  const rounds = await alternate({ rounds: effort.rounds, subject: of(subject), baseline: of(baseline) });
  const row = benchmarkRow({
    what: `orders ${where}, one at a time: the median time, against bare appends`,
    unit: "1/s",
    aim,
    ...rounds,
  });
  return {
    ...row,
    notes: `p50 ${msOf(row.subjectMedian)} ms, source R ${SOURCE_MS} ms; bare ${msOf(row.baselineMedian)} ms`,
  };
}

const msOf = (perSecond: number) => (1_000 / perSecond).toFixed(1);

type Paced = Omit<Sides, "aim"> & { readonly rates: BenchmarkRow };

/** Each side at half of its highest rate, open loop. */
async function compareSlowest({ subject, baseline, rates, effort }: Paced): Promise<readonly BenchmarkRow[]> {
  const seen: HttpFigures[] = [];
  const subjectRate = rates.subjectMedian / 2;
  const of = async (load: Load, perSecond: number) => {
    const figures = await load.paced(perSecond);
    if (load === subject) seen.push(figures);
    return 1_000 / Math.max(figures.p99Ms, 0.01);
  };
  const rounds = await alternate({
    rounds: effort.rounds,
    subject: () => of(subject, subjectRate),
    baseline: () => of(baseline, rates.baselineMedian / 2),
  });
  const what = "orders at the origin, at half of that rate: the slowest percent";
  const notes = `${Math.round(subjectRate)} orders/s come in at random; ${seen.map(shownLatency).join("; ")}`;
  const againstBare = benchmarkRow({
    what: `${what}, against bare appends at half of theirs`,
    unit: "1/s",
    aim: P99_AIM,
    ...rounds,
  });
  const againstSourceR = benchmarkRow({
    what: `${what}, against ${SOURCE_MS} ms`,
    unit: "1/s",
    aim: 1,
    subjectRounds: rounds.subjectRounds,
    baselineRounds: [1_000 / SOURCE_MS],
  });
  return [{ ...againstBare, notes }, againstSourceR];
}

/**
 * Within a short round the permanent record may fall behind and catch up after it. This row is long enough that the
 * record does its whole work in it.
 */
async function compareSustained(
  subject: Load,
  { rates, effort }: Pick<Paced, "rates" | "effort">,
): Promise<BenchmarkRow> {
  const subjectRounds = [await subject.sustained()];
  const row = benchmarkRow({
    what: `orders at the origin, ${CONNECTIONS} at a time for ${effort.sustainedMs / 1_000} s, against bare appends`,
    unit: "orders/s",
    aim: 0,
    subjectRounds,
    baselineRounds: rates.baselineRounds,
  });
  return { ...row, notes: `with the permanent record's work; ${subject.facts()}` };
}

function againstSource({ subjectRounds, notes }: BenchmarkRow): BenchmarkRow {
  const row = benchmarkRow({
    what: `orders at the origin, ${CONNECTIONS} at a time, against source R's 5,000 a second`,
    unit: "orders/s",
    aim: 1,
    subjectRounds,
    baselineRounds: [SOURCE_ORDERS_PER_SECOND],
  });
  return { ...row, ...(notes === undefined ? {} : { notes }) };
}

async function measureBatches(load: Load, effort: Effort): Promise<readonly BenchmarkRow[]> {
  const subjectRounds: number[] = [];
  for (let round = 0; round < effort.rounds; round++) subjectRounds.push(await load.perSecond());
  const row = benchmarkRow({
    what: `orders, ${BATCH} in a request, against source R's 10,000 a second`,
    unit: "orders/s",
    aim: 1,
    subjectRounds,
    baselineRounds: [SOURCE_BATCHED_PER_SECOND],
  });
  const ratePerSecond = row.subjectMedian / BATCH / 2;
  const seen: HttpFigures[] = [];
  for (let round = 0; round < effort.rounds; round++) seen.push(await load.paced(ratePerSecond));
  const slowest = benchmarkRow({
    what: `orders, ${BATCH} in a request, at half of that rate: the slowest percent, against ${SOURCE_MS} ms`,
    unit: "1/s",
    // No aim: a hundred orders take some milliseconds of the one process.
    aim: 0,
    subjectRounds: seen.map(({ p99Ms }) => 1_000 / Math.max(p99Ms, 0.01)),
    baselineRounds: [1_000 / SOURCE_MS],
  });
  return [
    { ...row, notes: `${load.facts()}, with ${BATCH_CONNECTIONS} requests at a time` },
    {
      ...slowest,
      notes: `${Math.round(ratePerSecond)} requests/s come in at random; ${seen.map(shownLatency).join("; ")}`,
    },
  ];
}

const shownLatency = ({ p50Ms, p99Ms, p999Ms }: HttpFigures) =>
  `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, p99.9 ${p999Ms.toFixed(1)} ms`;

type Load = {
  /** Orders per second with one request per connection. */
  readonly perSecond: () => Promise<number>;
  /** The same over a long time. */
  readonly sustained: () => Promise<number>;
  readonly alone: () => Promise<HttpFigures>;
  readonly paced: (requestsPerSecond: number) => Promise<HttpFigures>;
  /** Latency of the last round at full rate, and processor time per order and server. */
  readonly facts: () => string;
};

type LoadOptions = {
  readonly effort: Effort;
  readonly untilRecorded: OrdersStack["untilRecorded"];
  readonly batch?: number;
};

function createLoad({ url, people, cpuSeconds }: Side, { effort, untilRecorded, batch = 1 }: LoadOptions): Load {
  const path = batch === 1 ? "/api/v1/orders" : "/api/v1/orders/batch";
  const connections = batch === 1 ? CONNECTIONS : BATCH_CONNECTIONS;
  const variants: readonly RequestVariant[] = orderVariants(people, batch);
  const headers = { "content-type": "application/json" };
  const common = {
    url: url + path,
    method: "POST",
    headers,
    variants,
    core: "any",
    warmUpMs: effort.warmUpMs,
  } as const;
  let costs: Record<string, number>[] = [];
  let last: HttpFigures | undefined;

  async function measure(load: Pick<HttpLoad, "connections" | "durationMs" | "ratePerSecond">): Promise<HttpFigures> {
    await untilRecorded();
    return measureFaultless({ ...common, ...load });
  }

  async function atFullRate(durationMs: number): Promise<number> {
    await untilRecorded();
    const before = cpuSeconds();
    last = await measureFaultless({ ...common, connections, durationMs });
    const { answers, requestsPerSecond } = last;
    const spent = Object.entries(cpuSeconds()).map(([name, seconds]) => {
      return [name, ((seconds - (before[name] ?? 0)) * 1e6) / (answers * batch)] as const;
    });
    costs.push(Object.fromEntries(spent));
    return requestsPerSecond * batch;
  }

  return {
    perSecond: () => atFullRate(effort.durationMs),
    sustained: () => {
      costs = [];
      return atFullRate(effort.sustainedMs);
    },
    alone: () => measure({ connections: 1, durationMs: effort.durationMs }),
    paced: (ratePerSecond) => measure({ connections: connections * 4, durationMs: effort.openMs, ratePerSecond }),
    facts: () => {
      const names = Object.keys(costs[0] ?? {});
      const shown = names.map((name) => `${median(costs.map((cost) => cost[name] ?? 0)).toFixed(0)} µs ${name}`);
      return `${last === undefined ? "" : shownLatency(last)}, per order: ${shown.join(", ")}`;
    },
  };
}
