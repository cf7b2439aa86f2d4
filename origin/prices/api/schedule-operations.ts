import { z } from "zod";
import type { Clock } from "../../../shared/clock.ts";
import { writeAudit } from "../../accounts/admin/audit.ts";
import { actorOf } from "../../api/accounts/admin-operations.ts";
import { adminOperation, type VenueOperation } from "../../api/operation.ts";
import { answerSchemas, bodySchemas } from "../../api/schemas.ts";
import type { Database } from "../../db/database.ts";
import { nextDueMs, regimeAt, type Schedule, scheduleSchema } from "../calendar/schedule.ts";
import { readPriceSettings, setDueTimes, setSchedule } from "../fetch/fetch-queries.ts";
import { QUOTA_LIMIT, QUOTA_WINDOW_MS, type Quota } from "../quota/quota.ts";

const answered = z
  .strictObject({
    ...scheduleSchema.shape,
    regime: z.enum(["peak", "normal", "weekend"]).describe("Which interval holds now."),
    nextDueAt: z.int(),
  })
  .register(answerSchemas, { id: "PriceSchedule" });
const wanted = z.strictObject(scheduleSchema.shape).register(bodySchemas, { id: "WantedPriceSchedule" });

const usageSchema = z
  .strictObject({
    limit: z.int(),
    windowSeconds: z.int(),
    identities: z.int().describe("Users and addresses with fresh requests in this window."),
    busiest: z.array(z.strictObject({ identity: z.string(), used: z.int() })),
    requests: z
      .array(z.strictObject({ at: z.int(), itemCode: z.string() }))
      .optional()
      .describe("With `identity`: its fresh requests of this window."),
  })
  .register(answerSchemas, { id: "PriceUsage" });

const USAGE_SHOWN_MAX = 100;

type Parts = { readonly database: Database; readonly quota: Quota; readonly clock: Clock };

/** When prices are fetched, and how the quota is used; for admins. */
export function scheduleOperations({ database, quota, clock }: Parts): readonly VenueOperation[] {
  const shown = (schedule: Schedule) => {
    const nowMs = clock.nowMs();
    return { ...schedule, regime: regimeAt(schedule, nowMs), nextDueAt: nextDueMs(schedule, nowMs) };
  };
  return [
    adminOperation({
      method: "get",
      path: "/admin/price-schedule",
      id: "readPriceSchedule",
      summary: "When prices are fetched, by the clock in Tehran",
      limit: "admin",
      answers: { 200: { description: "The schedule.", schema: answered } },
      refusals: ["database_unavailable"],
      run: async ({ answer }) => answer(200, shown((await readPriceSettings(database)).schedule)),
    }),
    adminOperation({
      method: "put",
      path: "/admin/price-schedule",
      id: "replacePriceSchedule",
      summary: "Replace the schedule; due times that would be later are brought forward",
      limit: "admin",
      body: { schema: wanted },
      answers: { 200: { description: "Written.", schema: answered } },
      refusals: ["database_unavailable"],
      run: async (caller, { body: schedule }) => {
        await database.transaction(async (tx) => {
          const { schedule: before } = await readPriceSettings(tx);
          await setSchedule.all(tx, { schedule });
          await setDueTimes.all(tx, { dueAtMs: String(nextDueMs(schedule, clock.nowMs())) });
          const entry = { action: "schedule.changed", target: "prices", before, after: schedule } as const;
          await writeAudit(tx, { actor: actorOf(caller), ...entry });
        });
        return caller.answer(200, shown(schedule));
      },
    }),
    adminOperation({
      method: "get",
      path: "/admin/price-usage",
      id: "readPriceUsage",
      summary: "Fresh requests of the current window, the busiest first",
      limit: "admin",
      query: z.strictObject({ identity: z.string().max(80).optional() }),
      answers: { 200: { description: "Usage of the quota.", schema: usageSchema } },
      refusals: ["store_unavailable"],
      run: async ({ answer }, { query: { identity } }) =>
        answer(200, {
          limit: QUOTA_LIMIT,
          windowSeconds: QUOTA_WINDOW_MS / 1_000,
          ...(await quota.usage(USAGE_SHOWN_MAX)),
          ...(identity === undefined ? {} : { requests: await quota.requestsOf(identity) }),
        }),
    }),
  ];
}
