import { z } from "zod";
import { assert } from "../../../../shared/assert.ts";
import { queueKeys } from "../../../line/keys.ts";
import { defineOperation } from "../operation.ts";
import { answerSchemas, queueParams, sessionIdField } from "../schemas.ts";
import { listSessionsScript } from "../scripts.ts";
import { withMetadata } from "./with-metadata.ts";

const SESSIONS_MAX = 1_000;
const SESSIONS_DEFAULT = 100;

/** When the last session of a page ends, and its id: the next page continues there, whatever changed before it. */
const CURSOR = /^(\d{1,15})\.([A-Za-z0-9_-]{22})$/;

export const sessionSchema = z
  .strictObject({
    sessionId: sessionIdField,
    state: z
      .enum(["reserved", "admitted"])
      .describe("reserved: the visitor's turn has come, and the pass is not presented yet."),
    expiresAt: z.int().min(0).describe("When the slot returns unless it is renewed or claimed, in ms since 1970."),
    metadata: z.record(z.string(), z.unknown()).nullable().describe("The metadata of the visitor's join."),
  })
  .register(answerSchemas, { id: "Session" });

const sessionPageSchema = z
  .strictObject({
    sessions: z.array(sessionSchema),
    nextCursor: z.string().nullable().describe("null on the last page."),
  })
  .register(answerSchemas, { id: "SessionPage" });

export const listSessions = defineOperation({
  method: "get",
  path: "/admin/queues/{queueId}/sessions",
  id: "listSessions",
  summary:
    "Admitted sessions, those that end first in front; one that is renewed while you page may come twice, none is left out",
  params: queueParams,
  query: z.strictObject({
    limit: z
      .string()
      .refine(isPageSize, `must be a whole number from 1 to ${SESSIONS_MAX}`)
      .default(String(SESSIONS_DEFAULT))
      .meta({ type: "integer", minimum: 1, maximum: SESSIONS_MAX, default: SESSIONS_DEFAULT }),
    cursor: z.string().regex(CURSOR, "must be the nextCursor of a page").optional(),
  }),
  answers: { 200: { description: "One page.", schema: sessionPageSchema } },
  refusals: ["queue_not_found"],
  async run({ store, answer, refuse }, { params: { queueId }, query }) {
    const [, lastEnd = "-1", lastId = ""] = CURSOR.exec(query.cursor ?? "") ?? [];
    const { meta, active, ready } = queueKeys(queueId);
    const args = { limit: Number(query.limit), lastEndMs: Number(lastEnd), lastId };
    const page = await listSessionsScript.run(store, { keys: { meta, active, ready }, args });
    if (page === undefined) return refuse("queue_not_found");
    const sessions = await withMetadata(store, queueId, toSessions(page.flat));
    const last = sessions.at(-1);
    return answer(200, {
      sessions,
      nextCursor: page.hasMore && last !== undefined ? `${last.expiresAt}.${last.sessionId}` : null,
    });
  },
});

const FIELDS_EACH = 3;

function toSessions(flat: readonly (string | number)[]): readonly Omit<z.input<typeof sessionSchema>, "metadata">[] {
  assert(flat.length % FIELDS_EACH === 0, "a session is an id, a time and a flag");
  return Array.from({ length: flat.length / FIELDS_EACH }, (_, index) => {
    const [sessionId, expiresAt, isReserved] = flat.slice(index * FIELDS_EACH);
    return {
      sessionId: String(sessionId),
      state: isReserved === 1 ? "reserved" : "admitted",
      expiresAt: Number(expiresAt),
    };
  });
}

function isPageSize(text: string): boolean {
  return /^[1-9]\d{0,3}$/.test(text) && Number(text) <= SESSIONS_MAX;
}
