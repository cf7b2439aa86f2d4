import type { Context } from "hono";
import { systemClock } from "../../../shared/clock.ts";
import { EXPOSITION_TYPE, expositionText, type MetricFamily } from "../../../shared/http/exposition.ts";
import { newId, systemRandom } from "../../../shared/ids.ts";
import type { ScriptRunner } from "../../../shared/store/define-script.ts";
import { gateOf } from "../../admit/open-gate.ts";
import { StoreUnavailable, storeCalls } from "../../admit/outage/outage.ts";
import { openRegistry } from "../../line/registry.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import { someAtOnce } from "../../store/some-at-once.ts";
import { recogniseOperator } from "../admin/operator-token.ts";
import { startingWithin } from "../admin/queues/starting-within.ts";
import { readStats } from "../stats/read-stats.ts";
import { type NamedStats, queueMetrics } from "./queue-metrics.ts";

/** A scrape waits ten seconds as a rule. */
const READING_MS_MAX = 5_000;
/** A worker may hold six connections at a time. */
const READS_AT_ONCE = 6;

/**
 * `GET /_sluice/metrics`, with the operator token. When the store is unavailable it still answers with the edge's own
 * metrics: that is when they are needed.
 */
export function metricsRoute(answers: AnswerCounts) {
  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const { visit } = c.var;
    const gate = await gateOf(visit);
    if (!gate.ok) return gate.reason;
    const operator = await recogniseOperator(visit, gate.value.limits.admin);
    if (!operator.ok) return operator.reason;
    const store = startingWithin(gate.value.store.once, { limitMs: READING_MS_MAX, clock: systemClock });
    const queues = await readQueues(store);
    const families = [storeUp(queues !== undefined), ...queueMetrics(queues ?? []), ...edgeMetrics(answers)];
    return new Response(expositionText(families), {
      headers: { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" },
    });
  };
}

/** How many answers of each status this isolate has given, on its own routes and on protected URLs. */
export type AnswerCounts = Readonly<Record<"own" | "protected", Map<number, number>>>;

let isolate: string | undefined;

/** Each isolate counts separately and has its own label, so that sums are right and no counter seems to decrease. */
function edgeMetrics(answers: AnswerCounts): readonly MetricFamily[] {
  isolate ??= newId(systemRandom);
  const labels = { isolate };
  const answered = Object.entries(answers).flatMap(([route, statuses]) =>
    [...statuses].map(([status, value]) => ({ labels: { ...labels, route, status: String(status) }, value })),
  );
  return [
    {
      name: "sluice_edge_answers_total",
      type: "counter",
      help: "Answers of one isolate: on protected URLs, forwarded or not, and on the gate's own.",
      samples: answered,
    },
    {
      name: "sluice_edge_store_calls_total",
      type: "counter",
      help: "Calls of one isolate to the store. Withheld are those that were not made because the store had just failed.",
      samples: Object.entries(storeCalls).map(([result, value]) => ({ labels: { ...labels, result }, value })),
    },
  ];
}

/** All queues or none: a scrape with some of them would look as if the others were gone. */
async function readQueues(store: ScriptRunner): Promise<readonly NamedStats[] | undefined> {
  try {
    const { queueIds } = await openRegistry(store).readDirectory();
    const read = await someAtOnce(queueIds, READS_AT_ONCE, async (queueId) => ({
      queueId,
      stats: await readStats(store, queueId, "totals"),
    }));
    return read.flatMap(({ queueId, stats }) => (stats === undefined ? [] : [{ queueId, stats }]));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return undefined;
  }
}

function storeUp(isUp: boolean): MetricFamily {
  return {
    name: "sluice_store_up",
    type: "gauge",
    help: "1 when the line's store answered this scrape; without it nothing is said of the queues.",
    samples: [{ labels: {}, value: isUp ? 1 : 0 }],
  };
}
