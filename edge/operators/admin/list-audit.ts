import { z } from "zod";
import { readAuditLog, type StoredEntry } from "./audit/audit-log.ts";
import { AUDIT_ACTIONS } from "./audit/entry.ts";
import { defineOperation } from "./operation.ts";
import { answerSchemas, queueIdField } from "./schemas.ts";

const ENTRIES_MAX = 200;
const ENTRIES_DEFAULT = 50;
const CURSOR = /^\d{1,15}-\d{1,15}$/;

/** Entries of another version may speak of what this one does not know, so what they hold is not looked into. */
const entrySchema = z
  .strictObject({
    id: z.string(),
    at: z.int().min(0).describe("In ms since 1970, by the store's clock."),
    actor: z.string().describe("The name that belongs to the operator token; `operator` for SLUICE_ADMIN_TOKEN."),
    action: z.string().describe(`One of ${Object.keys(AUDIT_ACTIONS).join(", ")}.`),
    queueId: z.string().nullable(),
    before: z.unknown().describe("The changed values before; null if there were none. Long texts and lists are cut."),
    after: z.unknown().describe("The changed values after; null if there are none."),
    requestId: z.string(),
    outcome: z
      .enum(["done", "unknown"])
      .describe("unknown: the edge or the store failed before the outcome was recorded."),
  })
  .register(answerSchemas, { id: "AuditEntry" });

const storedSchema = entrySchema.omit({ id: true, at: true, outcome: true });

const auditPageSchema = z
  .strictObject({
    entries: z.array(entrySchema),
    nextCursor: z
      .string()
      .nullable()
      .describe("null on the last page. With queueId a page may be short, or empty, and not the last."),
  })
  .register(answerSchemas, { id: "AuditPage" });

export const listAudit = defineOperation({
  method: "get",
  path: "/admin/audit",
  id: "listAudit",
  summary: "The operators' changes, newest first; the last 10,000",
  query: z.strictObject({
    queueId: queueIdField.optional().describe("Only changes to this queue."),
    cursor: z.string().regex(CURSOR, "must be the nextCursor of a page").optional(),
    limit: z
      .string()
      .refine(
        (text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= ENTRIES_MAX,
        `must be a whole number from 1 to ${ENTRIES_MAX}`,
      )
      .default(String(ENTRIES_DEFAULT))
      .meta({ type: "integer", minimum: 1, maximum: ENTRIES_MAX, default: ENTRIES_DEFAULT }),
  }),
  answers: { 200: { description: "One page.", schema: auditPageSchema } },
  refusals: [],
  async run({ store, answer }, { query: { queueId = "", cursor = "", limit } }) {
    const page = await readAuditLog(store, { queueId, before: cursor, limit: Number(limit) });
    return answer(200, { entries: page.entries.map(toEntry), nextCursor: page.cursor === "" ? null : page.cursor });
  },
});

function toEntry({ id, at, outcome, text }: StoredEntry): z.input<typeof entrySchema> {
  return { id, at, ...storedSchema.parse(JSON.parse(text)), outcome: outcome === "done" ? "done" : "unknown" };
}
