import { setTimeout as sleep } from "node:timers/promises";
import type { RedisServer } from "../../../stack/servers/redis-server.ts";
import { alternate, type Benchmark, type BenchmarkRow, benchmarkRow } from "../benchmark.ts";
import { type CoreEffort, onFreshRedis, runCore } from "../orders/orders-core.ts";
import { startBunServer } from "./bun-server.ts";
import { LIVE, openReaders, type Part, startServing } from "./parts.ts";
import { startSteadyOrders } from "./steady-orders.ts";

/**
 * The live hub. Fan-out: processor time per delivery, of the product's audiences against a plain `ws` send loop and
 * against Bun's `publish`, with the same readers. Scale: one process with 10,000 sockets on a real journal. Cost: orders
 * per second of the core with and without 1,000 subscribers of the traded pair.
 */
export const liveBenchmark: Benchmark = {
  name: "live",
  run: async ({ quick }) => {
    const effort = quick ? QUICK : FULL;
    return [...(await measureFanOut(effort)), ...(await measureScale(effort)), await measureCost(effort)];
  },
};

type Effort = {
  readonly rounds: number;
  readonly sockets: number;
  readonly flushes: number;
  readonly everyMs: number;
  readonly manySockets: number;
  readonly scaleMs: number;
  readonly subscribers: number;
  readonly core: CoreEffort;
};

const CORE = { fsyncs: [], sets: 0 } as const;
const FULL: Effort = {
  ...{ rounds: 3, sockets: 2_000, flushes: 8, everyMs: 400, manySockets: 10_000, scaleMs: 10_000, subscribers: 1_000 },
  core: { ...CORE, rounds: 3, durationMs: 4_000, warmUpMs: 4_000 },
};
const QUICK: Effort = {
  ...{ rounds: 1, sockets: 200, flushes: 3, everyMs: 50, manySockets: 200, scaleMs: 1_000, subscribers: 50 },
  core: { ...CORE, rounds: 1, durationMs: 400, warmUpMs: 1_500 },
};

const FAN_OUT = new URL("./fan-out-process.ts", import.meta.url);
const SERVER_CORE = 1;
const OTHER_CORE = 0;
const MESSAGES = 10;
/** Every so many-th reader notes how late messages are (`readers-process.ts`). */
const SAMPLED = 25;
const FASTER_AIM = 6;
const P99_MS_AIM = 100;
const RSS_KB_AIM = 25;
const ORDERS_AIM = 0.95;
const SUBSCRIBE = JSON.stringify({ type: "subscribe", channels: ["book:btcidr"] });

type Measured = { readonly micros: number; readonly deliveries: number };

/** Until the last bytes have arrived. */
const DRAIN_MS = 500;
/** A message of all variants, with its header; the numbers in it have some digits more or less. */
const FRAME_BYTES_MIN = 180;

/** Deliveries per millisecond of the server's processor time, if the readers have received them. */
async function received(readers: Part, measure: () => Promise<Measured>): Promise<number> {
  await sleep(DRAIN_MS);
  await readers.ask<Taken>({ kind: "take" });
  const { micros, deliveries } = await measure();
  await sleep(DRAIN_MS);
  const { bytes } = await readers.ask<Taken>({ kind: "take" });
  if (bytes < deliveries * FRAME_BYTES_MIN)
    throw new Error(`the readers received ${bytes} bytes of ${deliveries} deliveries: the figure would mean nothing`);
  return deliveries / (micros / 1_000);
}

async function measureVariant(variant: "hub" | "ws", { sockets, flushes, everyMs }: Effort): Promise<number> {
  const environment = { VARIANT: variant, MESSAGES: String(MESSAGES) };
  const server = await startServing({ file: FAN_OUT, core: SERVER_CORE, environment });
  const readers = await openReaders({ port: server.port, sockets, subscribe: "", core: OTHER_CORE });
  try {
    // The first flush also brings the snapshots.
    await server.ask<Measured>({ flushes: 2, everyMs });
    return await received(readers, () => server.ask<Measured>({ flushes, everyMs }));
  } finally {
    await Promise.all([readers.stop(), server.stop()]);
  }
}

async function measureBun({ sockets, flushes, everyMs }: Effort): Promise<number | undefined> {
  const server = await startBunServer({ messages: MESSAGES, core: SERVER_CORE });
  if (server === undefined) return undefined;
  const readers = await openReaders({ port: server.port, sockets, subscribe: "", core: OTHER_CORE });
  try {
    await server.measure(2, everyMs);
    return await received(readers, () => server.measure(flushes, everyMs));
  } finally {
    await readers.stop();
    server.stop();
  }
}

async function measureFanOut(effort: Effort): Promise<readonly BenchmarkRow[]> {
  const bun: number[] = [];
  const rounds = await alternate({
    rounds: effort.rounds,
    subject: () => measureVariant("hub", effort),
    baseline: async () => {
      const speed = await measureBun(effort);
      if (speed !== undefined) bun.push(speed);
      return measureVariant("ws", effort);
    },
  });
  const unit = "deliveries per ms of processor time";
  const what = `${MESSAGES} messages a flush to ${effort.sockets} sockets, against`;
  const row = benchmarkRow({ what: `${what} a plain ws send loop`, unit, aim: FASTER_AIM, ...rounds });
  if (bun.length === 0) return [row];
  const { subjectRounds } = rounds;
  return [row, benchmarkRow({ what: `${what} Bun's publish`, unit, aim: 1, subjectRounds, baselineRounds: bun })];
}

const startLive = ({ url }: RedisServer, core: 0 | 1) =>
  startServing({ file: LIVE, core, environment: { VENUE_REDIS_URL: url } });

type Facts = { readonly rssBytes: number; readonly cpuMicros: number };
type Taken = { readonly bytes: number; readonly latencies: readonly number[] };

/** Until the first entry has brought the pairs. */
const FIRST_ENTRY_MS = 500;
/** Snapshots are sent, garbage is collected. */
const SETTLE_MS = 2_000;
/** One order every 100 ms: ten flushes a second. */
const SCALE_RATE = 10;

async function measureScale({ manySockets: sockets, scaleMs }: Effort): Promise<readonly BenchmarkRow[]> {
  return onFreshRedis("always", async (server) => {
    const orders = await startSteadyOrders(server.url, 1_000 / SCALE_RATE);
    const live = await startLive(server, SERVER_CORE);
    const before = await live.ask<Facts>({ kind: "facts" });
    const readers = await openReaders({ port: live.port, sockets, subscribe: SUBSCRIBE, core: OTHER_CORE });
    await sleep(SETTLE_MS);
    await readers.ask<Taken>({ kind: "take" });
    const begun = await live.ask<Facts>({ kind: "facts" });
    await sleep(scaleMs);
    const { latencies } = await readers.ask<Taken>({ kind: "take" });
    const after = await live.ask<Facts>({ kind: "facts" });
    await Promise.all([readers.stop(), live.stop(), orders.stop()]);
    const busy = (after.cpuMicros - begun.cpuMicros) / (scaleMs * 1_000);
    return scaleRows({ sockets, latencies, before, after, busy, seconds: scaleMs / 1_000 });
  });
}

type Scale = {
  readonly sockets: number;
  readonly latencies: readonly number[];
  readonly before: Facts;
  readonly after: Facts;
  readonly busy: number;
  readonly seconds: number;
};

function scaleRows({ sockets, latencies, before, after, busy, seconds }: Scale): readonly BenchmarkRow[] {
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share: number) => Math.max(1, sorted[Math.floor(sorted.length * share)] ?? 1);
  const kilobytes = (after.rssBytes - before.rssBytes) / sockets / 1_000;
  return [
    {
      ...benchmarkRow({
        what: `p99 from an order to ${sockets} sockets of one process, ${SCALE_RATE} orders a second, against ${P99_MS_AIM} ms`,
        ...{ unit: "1/ms", aim: 1, subjectRounds: [1 / at(0.99)], baselineRounds: [1 / P99_MS_AIM] },
      }),
      notes: `p50 ${at(0.5)}, p99 ${at(0.99)} ms of ${sorted.length} samples, the commit included; ${(sorted.length / Math.ceil(sockets / SAMPLED) / seconds).toFixed(1)} messages a second arrived at each socket; the process was ${(busy * 100).toFixed(0)} % busy`,
    },
    {
      ...benchmarkRow({
        what: `memory of a socket, against ${RSS_KB_AIM} kB`,
        ...{ unit: "sockets per MB", aim: 1, subjectRounds: [1_000 / kilobytes], baselineRounds: [1_000 / RSS_KB_AIM] },
      }),
      notes: `${kilobytes.toFixed(1)} kB of RSS each`,
    },
  ];
}

type Orders = { readonly perSecond: number; readonly micros: string };

async function measureOrders(effort: Effort, subscribers: number): Promise<Orders> {
  return onFreshRedis("always", async (server) => {
    const run = runCore(server, { ...effort.core, rate: 0 });
    await sleep(FIRST_ENTRY_MS);
    const live = subscribers === 0 ? undefined : await startLive(server, OTHER_CORE);
    const order = { sockets: subscribers, subscribe: SUBSCRIBE, core: OTHER_CORE, yields: true } as const;
    const readers = live && (await openReaders({ port: live.port, ...order }));
    const { ordersPerSecond: perSecond, cpuMicrosPerOrder: node, redisMicrosPerOrder: redis } = await run;
    const taken = await readers?.ask<Taken>({ kind: "take" });
    await Promise.all([readers?.stop(), live?.stop()]);
    if (taken?.bytes === 0) throw new Error("the subscribers received nothing: the figure would mean nothing");
    return { perSecond, micros: `${node.toFixed(1)} + ${redis.toFixed(1)}` };
  });
}

async function measureCost(effort: Effort): Promise<BenchmarkRow> {
  const micros = { subject: [] as string[], baseline: [] as string[] };
  const side = (name: keyof typeof micros, subscribers: number) => async () => {
    const orders = await measureOrders(effort, subscribers);
    micros[name].push(orders.micros);
    return orders.perSecond;
  };
  const rounds = await alternate({
    rounds: effort.core.rounds,
    subject: side("subject", effort.subscribers),
    baseline: side("baseline", 0),
  });
  const row = benchmarkRow({
    what: `orders, core only, with ${effort.subscribers} subscribers of the traded pair, against none`,
    ...{ unit: "orders/s", aim: ORDERS_AIM, ...rounds },
  });
  const notes = `hub and readers share the core of Redis; µs of Node and of Redis per order: ${micros.subject.join(", ")} against ${micros.baseline.join(", ")}`;
  return { ...row, notes };
}
