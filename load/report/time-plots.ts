import type { Html } from "../../edge/room/html.ts";
import { addBuckets, percentileMs } from "../record/latency-buckets.ts";
import type { RunRecord } from "../record/run-record.ts";
import { timeAxis, timeTickText, timeUnit, valueAxis } from "./axis.ts";
import { tickText } from "./numbers.ts";
import { countOf } from "./percentiles.ts";
import { drawArea, drawBand, drawLine, drawPlot, type Ink, type Point } from "./plot.ts";

/** Plots over time except latencies; without data there is no plot. */
export function flowPlots(record: RunRecord): readonly Html[] {
  return [waitingPlot(record), activePlot(record), admissionsPlot(record), orderFlowPlot(record)].filter(
    (plot) => plot !== undefined,
  );
}

/** One plot per kind of request. */
export function latencyPlots(record: RunRecord): readonly Html[] {
  return Object.keys(record.requests)
    .map((kind) => latencyPlot(record, kind))
    .filter((plot) => plot !== undefined);
}

/** The resolution of a drawing a thousand units wide. */
const STEPS_MAX = 250;

type Curve = { readonly ink: Ink; readonly name: string; readonly points: readonly Point[]; readonly isArea?: boolean };
type TimePlot = {
  readonly title: string;
  readonly note: string;
  readonly unit: string;
  readonly isWhole: boolean;
  readonly curves: readonly Curve[];
};

export function drawTimePlot(
  { durationMs, faults }: RunRecord,
  { title, note, unit, isWhole, curves }: TimePlot,
): Html {
  const largest = curves.reduce(
    (most, { points }) => points.reduce((top, [, value]) => (value > top ? value : top), most),
    0,
  );
  const time = timeAxis(durationMs);
  const x = { ...time, label: timeUnit(durationMs), tickText: (ms: number) => timeTickText(ms, durationMs) };
  const y = { ...valueAxis(largest, { isWhole }), label: unit, tickText };
  const faultEntry = faults.length > 0 ? [{ ink: "fault", name: "fault" } as const] : [];
  return drawPlot({
    ...{ title, note, x, y },
    legend: [...curves.map(({ ink, name }) => ({ ink, name })), ...faultEntry],
    drawing: [
      ...faults.map(({ atMs, untilMs }) => drawBand(atMs, untilMs, x)),
      ...curves.filter(({ isArea }) => isArea).map(({ ink, points }) => drawArea(ink, points, { x, y })),
      ...curves.map(({ ink, points }) => drawLine(ink, points, { x, y })),
    ],
  });
}

function waitingPlot(record: RunRecord): Html | undefined {
  if (record.gauges.every(({ waiting }) => waiting === 0)) return undefined;
  const points = thinned(record.gauges.map(({ atMs, waiting }) => [atMs, waiting] as const));
  return drawTimePlot(record, {
    title: "Waiting",
    note: "Visitors in the line, as counted by the gate.",
    unit: "visitors",
    isWhole: true,
    curves: [{ ink: "one", name: "waiting", points, isArea: true }],
  });
}

function activePlot(record: RunRecord): Html | undefined {
  if (record.gauges.length === 0) return undefined;
  return drawTimePlot(record, {
    title: "Inside, against the cap",
    note: "Occupied slots. The curve must never cross the dashed line.",
    unit: "visitors",
    isWhole: true,
    curves: [
      {
        ink: "two",
        name: "inside",
        points: thinned(record.gauges.map(({ atMs, active }) => [atMs, active] as const)),
        isArea: true,
      },
      { ink: "limit", name: "cap", points: thinned(record.gauges.map(({ atMs, cap }) => [atMs, cap] as const)) },
    ],
  });
}

function admissionsPlot(record: RunRecord): Html | undefined {
  const admitted = record.visitors.admittedMs.filter((ms) => ms >= 0);
  if (admitted.length === 0) return undefined;
  const points = ratePoints(
    record,
    admitted.map((ms) => [ms, 1] as const),
  );
  const { rate } = record.settings;
  const limit = [0, record.durationMs].map((ms) => [ms, Number(rate)] as const);
  return drawTimePlot(record, {
    title: "Admissions",
    note: "Admitted visitors. A burst may exceed the rate for a moment, the rest may not.",
    unit: "visitors per second",
    isWhole: false,
    curves: [
      { ink: "one", name: "admitted", points, isArea: true },
      ...(typeof rate === "number" ? [{ ink: "limit", name: "configured rate", points: limit } as const] : []),
    ],
  });
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  page: "the protected page",
  poll: "polls",
  claim: "claims",
  request: "requests inside",
  complete: "completing a visit",
  leave: "leaving the line",
  order: "orders",
  batch: "batches of orders",
  cancel: "cancellations",
};

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const kindName = (kind: string) => KIND_NAMES[kind] ?? kind;

const SHARES = [
  { share: 0.99, ink: "three", name: "p99" },
  { share: 0.95, ink: "two", name: "p95" },
  { share: 0.5, ink: "one", name: "p50" },
] as const;

function latencyPlot(record: RunRecord, kind: string): Html | undefined {
  const seconds = record.requests[kind]?.seconds ?? [];
  if (seconds.length === 0) return undefined;
  const stepSeconds = stepOf(record.durationMs) / 1_000;
  const steps = Map.groupBy(seconds, ({ second }) => Math.floor(second / stepSeconds));
  const times = Array.from({ length: Math.ceil(record.durationMs / 1_000 / stepSeconds) }, (_, step) => step);
  const histograms = times.map((step) => addBuckets((steps.get(step) ?? []).map(({ buckets }) => buckets)));
  const middle = (step: number) => Math.min(record.durationMs, (step + 0.5) * stepSeconds * 1_000);
  return drawTimePlot(record, {
    title: capitalised(kindName(kind)),
    note: "",
    unit: "milliseconds",
    isWhole: false,
    curves: SHARES.map(({ share, ...curve }) => ({
      ...curve,
      points: histograms.map((buckets, step) => [middle(step), percentileMs(buckets, share) ?? Number.NaN] as const),
    })),
  });
}

const FLOW_INKS = { order: "one", batch: "three", cancel: "two" } as const;

function orderFlowPlot(record: RunRecord): Html | undefined {
  if (record.orders === undefined) return undefined;
  const curves = Object.entries(FLOW_INKS).flatMap(([kind, ink]) => {
    const seconds = record.requests[kind]?.seconds ?? [];
    const points = ratePoints(
      record,
      seconds.map(({ second, buckets }) => [second * 1_000, countOf(buckets)] as const),
    );
    return seconds.length === 0 ? [] : [{ ink, name: kindName(kind), points }];
  });
  if (curves.length === 0) return undefined;
  return drawTimePlot(record, {
    title: "Order flow",
    note: "Requests to the venue, by the second in which they were due.",
    unit: "requests per second",
    isWhole: false,
    curves,
  });
}

/**
 * Rate per second in each step. An unfinished last step would look like a drop, so it is left out when there are
 * others.
 */
function ratePoints({ durationMs }: RunRecord, counted: readonly Point[]): readonly Point[] {
  const stepMs = stepOf(durationMs);
  const counts = new Array<number>(Math.max(1, Math.floor(durationMs / stepMs))).fill(0);
  for (const [ms, count] of counted) {
    const step = Math.floor(ms / stepMs);
    if (step < counts.length) counts[step] = (counts[step] ?? 0) + count;
  }
  return counts.map((count, step) => [Math.min(durationMs, (step + 0.5) * stepMs), (count * 1_000) / stepMs] as const);
}

/** Whole seconds, the resolution of a record. */
function stepOf(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / 1_000 / STEPS_MAX)) * 1_000;
}

/** The largest value of each step, so that no peak is lost. */
export function thinned(points: readonly Point[]): readonly Point[] {
  const group = Math.ceil(points.length / (STEPS_MAX * 2));
  if (group <= 1) return points;
  return Array.from({ length: Math.ceil(points.length / group) }, (_, index) => {
    const few = points.slice(index * group, (index + 1) * group);
    return few.reduce((most, point) => (point[1] > most[1] ? point : most));
  });
}
