import type { Context } from "hono";
import { systemClock } from "../../../shared/clock.ts";
import { EXPOSITION_TYPE, expositionText, type MetricFamily } from "../../../shared/http/exposition.ts";
import type { ScriptRunner } from "../../../shared/store/define-script.ts";
import { gateOf } from "../../admit/open-gate.ts";
import { StoreUnavailable } from "../../admit/outage/outage.ts";
import { openRegistry } from "../../line/registry.ts";
import { edgeMetrics } from "../../request/edge-counters.ts";
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
export async function metricsRoute(c: Context<EdgeEnvironment>): Promise<Response> {
  const { visit } = c.var;
  const gate = await gateOf(visit);
  if (!gate.ok) return gate.reason;
  const operator = await recogniseOperator(visit, gate.value.limits.admin);
  if (!operator.ok) return operator.reason;
  const store = startingWithin(gate.value.store.once, { limitMs: READING_MS_MAX, clock: systemClock });
  const queues = await readQueues(store);
  const families = [storeUp(queues !== undefined), ...queueMetrics(queues ?? []), ...edgeMetrics()];
  return new Response(expositionText(families), {
    headers: { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" },
  });
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
