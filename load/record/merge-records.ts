import { addBuckets, type LatencyBuckets } from "./latency-buckets.ts";
import type {
  Check,
  DriverRecord,
  Gauge,
  OrderFlow,
  RequestRecord,
  ResourceSeries,
  RunRecord,
  VisitorColumns,
} from "./run-record.ts";

/**
 * Merges the records of several machines that loaded one target: visitors are concatenated, requests and orders are
 * added up, and times count from the start of the first machine.
 */
export function mergeRecords([first, ...others]: readonly [RunRecord, ...RunRecord[]]): RunRecord {
  const records = [first, ...others];
  const startedAt = Math.min(...records.map((record) => record.startedAt));
  const aligned = records.map((record) => ({ record, shiftMs: record.startedAt - startedAt }));
  const drivers = records.flatMap(({ driver }) => driver ?? []);
  const machines = [...new Set(records.flatMap(({ machine }) => machine ?? []))];
  return {
    ...first,
    ...(machines.length === 0 ? {} : { machine: machines.join(" and ") }),
    shard: mergedShard(records.map(({ shard }) => shard)),
    startedAt,
    durationMs: Math.max(...aligned.map(({ record, shiftMs }) => record.durationMs + shiftMs)),
    wasInterrupted: records.some(({ wasInterrupted }) => wasInterrupted),
    requests: mergedRequests(aligned),
    visitors: mergedVisitors(aligned),
    gauges: mergedGauges(aligned),
    orders: mergedOrders(records.flatMap(({ orders }) => orders ?? [])),
    faults: aligned.flatMap(({ record, shiftMs }) =>
      record.faults.map(({ what, atMs, untilMs }) => ({ what, atMs: atMs + shiftMs, untilMs: untilMs + shiftMs })),
    ),
    checks: mergedChecks(records),
    ...(drivers.length === 0 ? {} : { driver: mergedDrivers(drivers) }),
    ...(records.every(({ resources }) => resources === undefined) ? {} : { resources: mergedResources(aligned) }),
  };
}

/** A record, and how much later than the first it began. */
type Aligned = { readonly record: RunRecord; readonly shiftMs: number };

/** `1/1` when all parts are there; otherwise it lists them, so that they are not taken for the whole. */
function mergedShard(shards: readonly string[]): string {
  const parts = shards.flatMap((shard) => {
    const [indexes = "", count = ""] = shard.split("/");
    return indexes.split("+").map((index) => ({ index: Number(index), count: Number(count) }));
  });
  const count = parts[0]?.count ?? 1;
  const indexes = [...new Set(parts.map(({ index }) => index))].toSorted((one, other) => one - other);
  return indexes.length === count && parts.every((part) => part.count === count)
    ? "1/1"
    : `${indexes.join("+")}/${count}`;
}

function mergedRequests(aligned: readonly Aligned[]): RunRecord["requests"] {
  const kinds = [...new Set(aligned.flatMap(({ record }) => Object.keys(record.requests)))];
  return Object.fromEntries(kinds.map((kind) => [kind, mergedKind(aligned, kind)]));
}

function mergedKind(aligned: readonly Aligned[], kind: string): RequestRecord {
  const answers: Record<string, number> = {};
  const seconds = new Map<number, LatencyBuckets>();
  for (const { record, shiftMs } of aligned) {
    const { answers: own, seconds: ownSeconds } = record.requests[kind] ?? { answers: {}, seconds: [] };
    for (const [answer, count] of Object.entries(own)) answers[answer] = (answers[answer] ?? 0) + count;
    for (const { second, buckets } of ownSeconds) {
      const at = second + Math.round(shiftMs / 1_000);
      seconds.set(at, addBuckets([seconds.get(at) ?? {}, buckets]));
    }
  }
  const inOrder = [...seconds].toSorted(([one], [other]) => one - other);
  return { answers, seconds: inOrder.map(([second, buckets]) => ({ second, buckets })) };
}

/** Places come from the gate and are the same on all machines; times are as exact as the machines' clocks agree. */
function mergedVisitors(aligned: readonly Aligned[]): VisitorColumns {
  const column = <Value>(of: (visitors: VisitorColumns) => readonly Value[]): readonly Value[] =>
    aligned.flatMap(({ record }) => of(record.visitors));
  const times = (of: (visitors: VisitorColumns) => readonly number[]): readonly number[] =>
    aligned.flatMap(({ record, shiftMs }) => of(record.visitors).map((ms) => (ms < 0 ? ms : ms + shiftMs)));
  return {
    arrivedMs: times(({ arrivedMs }) => arrivedMs),
    joinedOrder: column(({ joinedOrder }) => joinedOrder),
    lane: column(({ lane }) => lane),
    admittedMs: times(({ admittedMs }) => admittedMs),
    endedMs: times(({ endedMs }) => endedMs),
    end: column(({ end }) => end),
    wasAway: column(({ wasAway }) => wasAway),
    lateMs: column(({ lateMs }) => lateMs),
    wasRefused: column(({ wasRefused }) => wasRefused),
    walkedIn: column(({ walkedIn }) => walkedIn),
  };
}

/** All machines sample the same gate: of the samples in a tenth of a second, the fullest is kept. */
const LOOK_MS = 100;

function mergedGauges(aligned: readonly Aligned[]): readonly Gauge[] {
  const looks = new Map<number, Gauge>();
  for (const { record, shiftMs } of aligned) {
    for (const gauge of record.gauges) {
      const atMs = gauge.atMs + shiftMs;
      const moment = Math.round(atMs / LOOK_MS);
      const known = looks.get(moment);
      if (known === undefined || gauge.active - gauge.cap > known.active - known.cap)
        looks.set(moment, { ...gauge, atMs });
    }
  }
  return [...looks.values()].toSorted((one, other) => one.atMs - other.atMs);
}

function mergedOrders(flows: readonly OrderFlow[]): OrderFlow | undefined {
  const [first, ...others] = flows;
  return others.reduce((sum, flow) => {
    const names = Object.keys(sum ?? {}) as (keyof OrderFlow)[];
    return sum && (Object.fromEntries(names.map((name) => [name, sum[name] + flow[name]])) as OrderFlow);
  }, first);
}

/** A check passes when it passes on all machines; the first failure is kept, or the first result. */
function mergedChecks(records: readonly RunRecord[]): readonly Check[] {
  const byName = Map.groupBy(
    records.flatMap(({ checks }) => checks),
    ({ name }) => name,
  );
  return [...byName.values()].flatMap((checks) => checks.find(({ isMet }) => !isMet) ?? checks[0] ?? []);
}

/** Concatenated: each machine sampled its own stack. */
function mergedResources(aligned: readonly Aligned[]): readonly ResourceSeries[] {
  return aligned.flatMap(({ record, shiftMs }) =>
    (record.resources ?? []).map((series) => ({
      ...series,
      name: aligned.length === 1 ? series.name : `${series.name} (${record.shard})`,
      points: series.points.map(([atMs, value]) => [atMs + shiftMs, value] as const),
    })),
  );
}

function mergedDrivers(drivers: readonly DriverRecord[]): DriverRecord {
  const most = (of: (driver: DriverRecord) => number) => Math.max(...drivers.map(of));
  const sum = (of: (driver: DriverRecord) => number) => drivers.reduce((total, driver) => total + of(driver), 0);
  return {
    lateMsMax: most(({ lateMsMax }) => lateMsMax),
    waitingMost: most(({ waitingMost }) => waitingMost),
    resent: sum(({ resent }) => resent),
  };
}
