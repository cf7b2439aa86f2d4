import { unreachable } from "../../../../shared/assert.ts";
import { queueKeys } from "../../../line/keys.ts";
import { defineOperation } from "../operation.ts";
import { queueParams, sessionIdField } from "../schemas.ts";
import { readSessionScript } from "../scripts.ts";
import { sessionSchema } from "./list-sessions.ts";
import { withMetadata } from "./with-metadata.ts";

/** The application knows a session by its id; whether it is still inside is asked here, however many others are. */
export const readSession = defineOperation({
  method: "get",
  path: "/admin/queues/{queueId}/sessions/{sessionId}",
  id: "readSession",
  summary: "One session that holds a slot",
  params: queueParams.extend({ sessionId: sessionIdField }),
  answers: { 200: { description: "As it is now.", schema: sessionSchema } },
  refusals: ["queue_not_found", "session_not_found"],
  async run({ store, answer, refuse }, { params: { queueId, sessionId } }) {
    const { meta, active, ready } = queueKeys(queueId);
    const session = await readSessionScript.run(store, { keys: { meta, active, ready }, args: { sessionId } });
    switch (session.outcome) {
      case "none":
        return refuse("queue_not_found");
      case "absent":
        return refuse("session_not_found");
      case "found":
        return answer(200, (await withMetadata(store, queueId, [toSession(sessionId, session)]))[0]);
      default:
        return unreachable(session);
    }
  },
});

function toSession(
  sessionId: string,
  { isReserved, expiresAtMs }: { readonly isReserved: boolean; readonly expiresAtMs: number },
) {
  return { sessionId, state: isReserved ? "reserved" : "admitted", expiresAt: expiresAtMs } as const;
}
