import { QUEUES_MAX } from "../queue/registry.ts";
import { etagOf } from "./etag.ts";
import { defineOperation } from "./operation.ts";
import { queueAnswer } from "./queue-answer.ts";
import { newQueueSchema, queueSchema } from "./schemas.ts";

export const createQueue = defineOperation({
  method: "post",
  path: "/admin/queues",
  id: "createQueue",
  summary: "Make a queue; addresses lead to it only once a route does",
  body: { schema: newQueueSchema },
  answers: {
    201: {
      description: "Made.",
      schema: queueSchema,
      headers: { location: "Where the queue is.", etag: "The version of its settings." },
    },
  },
  refusals: ["queue_exists", "queue_limit_reached"],
  async run({ registry, answer, refuse, changed }, { body: { queueId, ...settings } }) {
    const { queueIds } = await registry.readDirectory();
    if (queueIds.length >= QUEUES_MAX && !queueIds.includes(queueId)) return refuse("queue_limit_reached");
    const version = await registry.writeQueue(queueId, settings, 0);
    if (version === undefined) return refuse("queue_exists");
    changed("made a queue", { queueId, settings });
    const queue = queueAnswer(queueId, { settings, version, waiting: 0, active: 0, admissionsPerSecond: 0 });
    return answer(201, queue, { location: `/_sluice/admin/queues/${queueId}`, etag: etagOf(version) });
  },
});
