import { z } from "zod";
import type { Sessions } from "../../accounts/identity/sessions.ts";
import { userOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas } from "../schemas.ts";

const sessionListSchema = z
  .strictObject({
    sessions: z.array(
      z.strictObject({
        sessionId: z.string(),
        isCurrent: z.boolean().describe("Whether this request came from it."),
        userAgent: z.string(),
        createdAt: z.int(),
        usedAt: z.int().describe("When it was last opened or refreshed."),
        expiresAt: z.int(),
      }),
    ),
  })
  .register(answerSchemas, { id: "SessionList" });

const GONE = { 204: { description: "Ended immediately, in every process." } };

export function sessionOperations(sessions: Sessions): readonly VenueOperation[] {
  return [
    userOperation({
      method: "post",
      path: "/auth/logout",
      id: "logout",
      summary: "End this session",
      limit: "change",
      answers: GONE,
      refusals: [],
      async run({ answer, identity: { user, sessionId } }) {
        await sessions.end({ userId: user.id, sessionId });
        return answer(204);
      },
    }),
    userOperation({
      method: "post",
      path: "/auth/logout-everywhere",
      id: "logoutEverywhere",
      summary: "End all my sessions, including this one",
      limit: "change",
      answers: GONE,
      refusals: [],
      async run({ answer, identity: { user } }) {
        await sessions.endAll(user.id);
        return answer(204);
      },
    }),
    userOperation({
      method: "get",
      path: "/sessions",
      id: "listSessions",
      summary: "My sessions, the most recently used first; at most 20",
      limit: "read",
      answers: { 200: { description: "All sessions.", schema: sessionListSchema } },
      refusals: [],
      async run({ answer, identity }) {
        const records = await sessions.list(identity.user.id);
        return answer(200, {
          sessions: records.map((record) => ({ ...record, isCurrent: record.sessionId === identity.sessionId })),
        });
      },
    }),
    userOperation({
      method: "delete",
      path: "/sessions/{sessionId}",
      id: "endSession",
      summary: "End one of my sessions",
      limit: "change",
      params: z.strictObject({
        sessionId: z.string().regex(/^[\w-]{22}$/, "must be the 22 characters of a session's id"),
      }),
      answers: GONE,
      refusals: ["session_not_found"],
      async run({ answer, refuse, identity }, { params: { sessionId } }) {
        const isEnded = await sessions.end({ userId: identity.user.id, sessionId });
        return isEnded ? answer(204) : refuse("session_not_found");
      },
    }),
  ];
}
