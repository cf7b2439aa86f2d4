import { etagOf } from "./etag.ts";
import { defineOperation } from "./operation.ts";
import { queueAnswer } from "./queue-answer.ts";
import { queueParams, queueSchema } from "./schemas.ts";

export const readQueue = defineOperation({
  method: "get",
  path: "/admin/queues/{queueId}",
  id: "readQueue",
  summary: "A queue's settings and how full it is",
  params: queueParams,
  answers: { 200: { description: "As it is now.", schema: queueSchema, headers: { etag: "The version of its settings." } } },
  refusals: ["queue_not_found"],
  async run({ registry, answer, refuse, sweepLater }, { params: { queueId } }) {
    const record = await registry.readQueue(queueId);
    if (record === undefined) return refuse("queue_not_found");
    sweepLater([{ queueId, settings: record.settings }]);
    return answer(200, queueAnswer(queueId, record), { etag: etagOf(record.version) });
  },
});
