import type { Context } from "hono";
import { systemClock } from "../../shared/clock.ts";
import type { ScriptRunner } from "../../shared/define-script.ts";
import { problemResponse } from "../../shared/errors.ts";
import { recogniseOperator } from "../admin/operator-token.ts";
import { startingWithin } from "../admin/starting-within.ts";
import type { EdgeEnvironment } from "../env.ts";
import { gateOfIsolate } from "../gate/open-gate.ts";
import { StoreUnavailable } from "../gate/outage.ts";
import { log } from "../log.ts";
import { openRegistry } from "../queue/registry.ts";
import { readStats } from "../stats/read-stats.ts";
import { someAtOnce } from "../store/some-at-once.ts";
import { edgeMetrics } from "./edge-counters.ts";
import { EXPOSITION_TYPE, expositionText, type MetricFamily } from "./exposition.ts";
import { type NamedStats, queueMetrics } from "./queue-metrics.ts";

/** A scrape waits ten seconds as a rule. */
const READING_MS_MAX = 5_000;
/** A worker may hold six connections at a time. */
const READS_AT_ONCE = 6;

/**
 * `GET /_sluice/metrics`, for whoever shows the operator token. With the store away it answers all the same, with what the
 * edge knows by itself: that is when somebody looks.
 */
export async function metricsRoute(c: Context<EdgeEnvironment>): Promise<Response> {
  const { visit } = c.var;
  const gate = await gateOfIsolate(visit.configuration);
  if (!gate.ok) {
    log("error", "SLUICE_SIGNING_KEYS cannot be used", { requestId: visit.requestId, faults: gate.reason });
    return problemResponse("internal_error", { requestId: visit.requestId });
  }
  const operator = await recogniseOperator(visit, gate.value.limits.admin);
  if (!operator.ok) return operator.reason;
  const store = startingWithin(gate.value.store.once, { limitMs: READING_MS_MAX, clock: systemClock });
  const queues = await readQueues(store);
  const families = [storeUp(queues !== undefined), ...queueMetrics(queues ?? []), ...edgeMetrics()];
  return new Response(expositionText(families), { headers: { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" } });
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
