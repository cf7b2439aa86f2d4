import { z } from "zod";
import { openRegistry, type Registry } from "../queue/registry.ts";
import { defineOperation } from "./operation.ts";
import { queueAnswer } from "./queue-answer.ts";
import { answerSchemas, queueSchema } from "./schemas.ts";

/** Queues live in different slots, so each is read by itself; a worker may hold six connections at a time. */
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
  async run({ storeWithin, answer }) {
    const registry = openRegistry(storeWithin(READING_MS_MAX));
    const { queueIds } = await registry.readDirectory();
    return answer(200, { queues: await readAll(registry, queueIds) });
  },
});

async function readAll(registry: Registry, queueIds: readonly string[]) {
  const rest = queueIds.entries();
  const found: (ReturnType<typeof queueAnswer> | undefined)[] = [];
  async function readSome(): Promise<void> {
    for (const [index, queueId] of rest) {
      const record = await registry.readQueue(queueId);
      // One that was deleted meanwhile, or whose making stopped half way, is not there.
      found[index] = record && queueAnswer(queueId, record);
    }
  }
  await Promise.all(Array.from({ length: READS_AT_ONCE }, readSome));
  return found.filter((queue) => queue !== undefined);
}
