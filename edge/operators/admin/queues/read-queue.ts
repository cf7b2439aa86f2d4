import type { z } from "zod";
import type { QueueRecord } from "../../../line/registry.ts";
import { etagOf } from "../etag.ts";
import { defineOperation } from "../operation.ts";
import { queueParams, queueSchema } from "../schemas.ts";

export const readQueue = defineOperation({
  method: "get",
  path: "/admin/queues/{queueId}",
  id: "readQueue",
  summary: "A queue's settings and how full it is",
  params: queueParams,
  answers: {
    200: { description: "As it is now.", schema: queueSchema, headers: { etag: "The version of its settings." } },
  },
  refusals: ["queue_not_found"],
  async run({ registry, answer, refuse, sweepLater }, { params: { queueId } }) {
    const record = await registry.readQueue(queueId);
    if (record === undefined) return refuse("queue_not_found");
    sweepLater([{ queueId, settings: record.settings }]);
    return answer(200, queueAnswer(queueId, record), { etag: etagOf(record.version) });
  },
});

type QueueState = Pick<QueueRecord, "settings" | "version" | "waiting" | "active" | "admissionsPerSecond">;

/**
 * A queue as operators see it: its settings, their version, and how full it is. A draw's seed is secret, even from
 * operators.
 */
export function queueAnswer(
  queueId: string,
  { settings, version, waiting, active, admissionsPerSecond }: QueueState,
): z.input<typeof queueSchema> {
  return { queueId, ...settings, version, waiting, active, admissionsPerSecond };
}
