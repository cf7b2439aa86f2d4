import { QUEUES_MAX } from "../../../line/registry.ts";
import { etagOf } from "../etag.ts";
import { defineOperation } from "../operation.ts";
import { newQueueSchema, queueSchema } from "../schemas.ts";
import { queueAnswer } from "./read-queue.ts";

export const createQueue = defineOperation({
  method: "post",
  path: "/admin/queues",
  id: "createQueue",
  summary: "Create a queue; a route must lead to it",
  body: { schema: newQueueSchema },
  answers: {
    201: {
      description: "Created.",
      schema: queueSchema,
      headers: { location: "Where the queue is.", etag: "The version of its settings." },
    },
  },
  refusals: ["queue_exists", "queue_limit_reached"],
  async run({ registry, answer, refuse, intend, targetFaults }, { body: { queueId, ...settings } }) {
    const errors = targetFaults(settings.targetUrl);
    if (errors.length > 0) return refuse("validation_failed", { errors });
    const intending = intend({ action: "queue.create", queueId, before: null, after: settings });
    const [{ queueIds }, intention] = await Promise.all([registry.readDirectory(), intending]);
    if (queueIds.length >= QUEUES_MAX && !queueIds.includes(queueId)) {
      await intention.dropped();
      return refuse("queue_limit_reached");
    }
    const version = await registry.writeQueue(queueId, settings, 0);
    if (typeof version !== "number") {
      await intention.dropped();
      return version === undefined ? refuse("queue_exists") : refuse("validation_failed", { errors: [version] });
    }
    await intention.done();
    const queue = queueAnswer(queueId, { settings, version, waiting: 0, active: 0, admissionsPerSecond: 0 });
    return answer(201, queue, { location: `/_sluice/admin/queues/${queueId}`, etag: etagOf(version) });
  },
});
