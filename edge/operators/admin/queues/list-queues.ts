import { z } from "zod";
import { parseQueueId } from "../../../../shared/queue-id.ts";
import { openRegistry, type QueueRecord } from "../../../line/registry.ts";
import { someAtOnce } from "../../../store/some-at-once.ts";
import { defineOperation } from "../operation.ts";
import { answerSchemas, queueSchema } from "../schemas.ts";
import { queueAnswer } from "./read-queue.ts";

/** Queues are in different slots, so each is read separately; a worker may hold six connections at a time. */
const READS_AT_ONCE = 6;
/** 1,000 queues on a store that is 20 ms away, and some more. */
const READING_MS_MAX = 5_000;

const queueListSchema = z.strictObject({ queues: z.array(queueSchema) }).register(answerSchemas, { id: "QueueList" });

export const listQueues = defineOperation({
  method: "get",
  path: "/admin/queues",
  id: "listQueues",
  summary: "All queues, by id, with their settings and how full they are",
  answers: { 200: { description: "At most 1,000: there are no more.", schema: queueListSchema } },
  refusals: [],
  async run({ storeWithin, answer, sweepLater }) {
    const registry = openRegistry(storeWithin(READING_MS_MAX));
    const { queueIds } = await registry.readDirectory();
    const records = await someAtOnce(queueIds, READS_AT_ONCE, async (queueId) => ({
      queueId,
      record: await registry.readQueue(queueId),
    }));
    // One that was deleted meanwhile, or whose making stopped half way, is not there.
    const queues = records.flatMap(({ queueId, record }) =>
      record === undefined ? [] : [queueAnswer(queueId, record)],
    );
    sweepLater(
      records.flatMap(({ queueId, record }) =>
        record === undefined || record.waiting === 0 ? [] : sweepable(queueId, record),
      ),
    );
    return answer(200, { queues });
  },
});

function sweepable(id: string, { settings }: QueueRecord) {
  const queueId = parseQueueId(id);
  return queueId.ok ? [{ queueId: queueId.value, settings }] : [];
}
