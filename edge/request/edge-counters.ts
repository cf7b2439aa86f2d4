import type { MetricFamily } from "../../shared/http/exposition.ts";
import { newId, systemRandom } from "../../shared/ids.ts";

/**
 * Counters of this isolate since its start. Each isolate counts separately and has its own label, so that sums are
 * right and no counter seems to decrease.
 */
const answers: Readonly<Record<AnsweredRoute, Map<number, number>>> = { own: new Map(), protected: new Map() };
const storeCalls: Record<StoreCallResult, number> = { answered: 0, failed: 0, withheld: 0 };

type AnsweredRoute = "own" | "protected";
/** withheld: not made, because the store had failed just before or the request's time was over. */
type StoreCallResult = "answered" | "failed" | "withheld";

export function countAnswer(route: AnsweredRoute, status: number): void {
  answers[route].set(status, (answers[route].get(status) ?? 0) + 1);
}

export function countStoreCall(result: StoreCallResult): void {
  storeCalls[result]++;
}

let isolate: string | undefined;

export function edgeMetrics(): readonly MetricFamily[] {
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
