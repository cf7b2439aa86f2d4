import type { MetricFamily, Sample } from "../../../shared/http/exposition.ts";
import { gaveUpField, numberOf, type QueueStats, waitField } from "../stats/read-stats.ts";
import { measuredRateOf } from "../stats/stats-answer.ts";
import { bucketEndMs, WAIT_BUCKETS } from "../stats/wait-histogram.ts";

export type NamedStats = { readonly queueId: string; readonly stats: QueueStats };

/**
 * Every queue's metrics for Prometheus. Totals are counted in the store, so that they continue whichever edge is asked.
 */
export function queueMetrics(queues: readonly NamedStats[]): readonly MetricFamily[] {
  const each = (numberIn: (stats: QueueStats) => number): readonly Sample[] =>
    queues.map(({ queueId, stats }) => ({ labels: { queue: queueId }, value: numberIn(stats) }));
  const gauge = (name: string, help: string, numberIn: (stats: QueueStats) => number): MetricFamily => {
    return { name: `sluice_queue_${name}`, type: "gauge", help, samples: each(numberIn) };
  };
  const total = (name: string, help: string): MetricFamily => {
    return {
      name: `sluice_queue_${name}_total`,
      type: "counter",
      help,
      samples: each((stats) => numberOf(stats, `total_${name}`)),
    };
  };
  return [
    gauge("waiting", "People in the line.", ({ waiting }) => waiting),
    gauge("ready", "Visitors whose turn has come and who have not entered yet.", ({ ready }) => ready),
    gauge("active", "Slots taken, by people inside and by those whose turn it is.", ({ active }) => active),
    gauge("max_active", "How many slots there are.", ({ maxActive }) => maxActive),
    gauge("admission_rate", "How many may go in each second, as set.", ({ admissionRate }) => admissionRate),
    gauge("admissions_per_second", "How many go in each second, as measured while people wait.", measuredRateOf),
    {
      name: "sluice_queue_mode",
      type: "gauge",
      help: "1 for the mode that is set.",
      samples: queues.map(({ queueId, stats: { mode } }) => ({ labels: { queue: queueId, mode }, value: 1 })),
    },
    total("enqueued", "People who joined."),
    total("returned", "People who took their old place again after they had fallen silent."),
    total("admitted", "People who went in."),
    total("expired", "People who fell silent, or did not come when it was their turn."),
    total("left", "People who gave up their place, or were taken out of the line."),
    {
      name: "sluice_queue_wait_seconds",
      type: "histogram",
      help: "How long people were in the line, by how it ended.",
      samples: queues.flatMap(waitSamples),
    },
  ];
}

/** One bound for each doubling is enough for an alert, and a quarter of the text. */
const BOUND_EVERY = 4;

function waitSamples({ queueId, stats }: NamedStats): readonly Sample[] {
  const gaveUpMs = numberOf(stats, "gave_up_ms_sum");
  return [
    ...histogram(
      { queue: queueId, outcome: "admitted" },
      countsOf(stats, waitField),
      numberOf(stats, "wait_ms_sum") - gaveUpMs,
    ),
    ...histogram({ queue: queueId, outcome: "gave_up" }, countsOf(stats, gaveUpField), gaveUpMs),
  ];
}

function countsOf(stats: QueueStats, fieldOf: (bucket: number) => string): readonly number[] {
  return Array.from({ length: WAIT_BUCKETS }, (_, bucket) => numberOf(stats, fieldOf(bucket)));
}

function histogram(
  labels: Readonly<Record<string, string>>,
  counts: readonly number[],
  sumMs: number,
): readonly Sample[] {
  let count = 0;
  const buckets: Sample[] = [];
  for (const [bucket, inBucket] of counts.entries()) {
    count += inBucket;
    const isBound = bucket === 0 || bucket % BOUND_EVERY === 1;
    if (isBound)
      buckets.push({ suffix: "_bucket", labels: { ...labels, le: String(bucketEndMs(bucket) / 1_000) }, value: count });
  }
  return [
    ...buckets,
    { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
    { suffix: "_sum", labels, value: sumMs / 1_000 },
    { suffix: "_count", labels, value: count },
  ];
}
