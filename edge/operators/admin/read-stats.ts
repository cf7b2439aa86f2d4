import { z } from "zod";
import { readStats } from "../stats/read-stats.ts";
import { HOURS_KEPT } from "../stats/series.ts";
import { statsAnswer } from "../stats/stats-answer.ts";
import { defineOperation } from "./operation.ts";
import { answerSchemas, queueIdField, queueParams } from "./schemas.ts";

const count = z.int().min(0);
const time = z.int().min(0).describe("In ms since 1970.");

const percentilesSchema = z
  .strictObject({ p50: count, p90: count, p99: count })
  .nullable()
  .describe(
    "Of the time people spent in the line, however it ended: visitors who left or stopped polling count with the time they waited. null while no wait has ended.",
  );

const flowFields = {
  enqueued: count.describe("Joined."),
  admitted: count,
  expired: count.describe(
    "Stopped polling, or missed their turn. A visitor who returns to the old place was counted here before.",
  ),
  left: count.describe("Gave up the place, or were removed from the line."),
};

const hourSchema = z.strictObject({
  startsAt: time,
  ...flowFields,
  peakWaiting: count,
  meanWaitMs: count.nullable(),
  waitMs: percentilesSchema,
});

const minuteSchema = z.strictObject({ startsAt: time, ...flowFields, peakWaiting: count, peakActive: count });

const statsSchema = z
  .strictObject({
    queueId: queueIdField,
    at: time,
    live: z.strictObject({
      mode: z.string(),
      waiting: count,
      ready: count.describe("Visitors with a slot who have not presented their pass yet; among the active too."),
      active: count,
      maxActive: z.int().min(1),
      admissionRate: z.number().min(0),
      admissionsPerSecond: z.number().min(0).describe("Measured; over the last minute when no visitor waits."),
      isStalled: z.boolean().describe("The room is full and no session ends."),
      clearsInSeconds: count
        .nullable()
        .describe("Until all waiting visitors are in, at the present pace; null when the line does not move."),
    }),
    totals: z.strictObject({ ...flowFields, waitMs: percentilesSchema }).describe("Over the hours below."),
    hours: z.array(hourSchema).describe("Oldest first; the last one runs."),
    minutes: z.array(minuteSchema).describe("The last three hours, oldest first; the last one runs."),
  })
  .register(answerSchemas, { id: "QueueStats" });

export const readStatsOperation = defineOperation({
  method: "get",
  path: "/admin/queues/{queueId}/stats",
  id: "readStats",
  summary: "How full a queue is, and its last hours and minutes; costs the same however long the line is",
  params: queueParams,
  query: z.strictObject({
    hours: z
      .string()
      .refine(
        (text) => /^[1-9]\d?$/.test(text) && Number(text) <= HOURS_KEPT,
        `must be a whole number from 1 to ${HOURS_KEPT}`,
      )
      .default(String(HOURS_KEPT))
      .meta({ type: "integer", minimum: 1, maximum: HOURS_KEPT, default: HOURS_KEPT }),
  }),
  answers: { 200: { description: "As it is now.", schema: statsSchema } },
  refusals: ["queue_not_found"],
  async run({ store, answer, refuse }, { params: { queueId }, query }) {
    const stats = await readStats(store, queueId, "all");
    if (stats === undefined) return refuse("queue_not_found");
    return answer(200, { queueId, ...statsAnswer(stats, Number(query.hours)) } satisfies z.input<typeof statsSchema>);
  },
});
