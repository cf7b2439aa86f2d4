import { z } from "zod";
import type { QueueId } from "../../../../shared/queue-id.ts";
import { acceptedForMs, PASS_LIFETIME_SECONDS_MAX } from "../../../../shared/tokens/admission.ts";
import { revokePassScript } from "../../../admit/sessions/revocation-scripts.ts";
import { queueKeys, revocationKey } from "../../../line/keys.ts";
import { openLine } from "../../../line/line.ts";
import { ticketLifeMs } from "../../../line/settings.ts";
import { defineOperation } from "../operation.ts";
import type { Operator } from "../operator.ts";
import { bodySchemas, jtiField, queueIdField, queueParams, reasonField, sessionIdField } from "../schemas.ts";

type Revocation = { readonly queueId: QueueId; readonly reason: string } & (
  | { readonly sessionId: string }
  | { readonly jti: string }
);

/** A revocation outlives every pass that it speaks of. */
const KEEP_MS = acceptedForMs(PASS_LIFETIME_SECONDS_MAX * 1_000);

/** Ends a session with all its passes, or only one pass. An unknown session is recorded too: its pass may be valid. */
async function revoke(operator: Operator, revocation: Revocation): Promise<Response> {
  const { store, registry, refuse, intend, learnRevocation, answer } = operator;
  const { queueId, reason } = revocation;
  const record = await registry.readQueue(queueId);
  if (record === undefined) return refuse("queue_not_found");
  const { queueId: _queueId, ...after } = revocation;
  const intention = await intend({
    action: "jti" in revocation ? "pass.revoke" : "session.end",
    queueId,
    before: null,
    after,
  });
  if ("jti" in revocation) {
    const keys = { revoked: queueKeys(queueId).revoked, revocation: revocationKey(queueId, revocation.jti) };
    await revokePassScript.run(store, { keys, args: { jti: revocation.jti, reason, keepMs: KEEP_MS } });
  } else {
    // The random number spreads polls, and there are none here.
    const line = openLine({ store, queueId, ticketLifeMs: ticketLifeMs(record.settings), random: () => 0 });
    await line.end({ sessionId: revocation.sessionId, reason: "revoked", detail: reason });
  }
  learnRevocation(queueId, "jti" in revocation ? revocation.jti : revocation.sessionId);
  await intention.done();
  return answer(204);
}

const UNTOLD_REASON = "ended by an operator";

/** Not every client can send a body with DELETE, so the reason may be in the query as well. */
const endingSchema = z.strictObject({ reason: reasonField }).register(bodySchemas, { id: "Ending" });

export const endSession = defineOperation({
  method: "delete",
  path: "/admin/queues/{queueId}/sessions/{sessionId}",
  id: "endSession",
  summary:
    "End a session: its slot is free at once, its passes are refused everywhere within 2 s, its visitor cannot come back with them",
  params: queueParams.extend({ sessionId: sessionIdField }),
  query: z.strictObject({ reason: reasonField.optional() }),
  body: { schema: endingSchema.optional() },
  answers: {
    204: {
      description:
        "Ended, also if the store does not know it: its pass may be valid. A repeated request changes nothing.",
    },
  },
  refusals: ["queue_not_found"],
  run: (operator, { params, query, body }) =>
    revoke(operator, { ...params, reason: body?.reason ?? query.reason ?? UNTOLD_REASON }),
});

const revocationSchema = z
  .strictObject({
    queueId: queueIdField,
    sessionId: sessionIdField.optional().describe("The session, with all its passes. Either this or jti."),
    jti: jtiField.optional().describe("One pass only. Either this or sessionId."),
    reason: reasonField,
  })
  .refine(({ sessionId, jti }) => (sessionId === undefined) !== (jti === undefined), {
    path: ["sessionId"],
    message: "give either sessionId or jti",
  })
  .register(bodySchemas, { id: "Revocation" });

export const createRevocation = defineOperation({
  method: "post",
  path: "/admin/revocations",
  id: "createRevocation",
  summary:
    "Refuse a session or a single pass from now on: everywhere within 2 s, at once where revocationCheck is strict",
  body: { schema: revocationSchema },
  answers: {
    204: { description: "Recorded, also if the store does not know it. A repeated request changes nothing." },
  },
  refusals: ["queue_not_found"],
  run: (operator, { body: { queueId, sessionId, jti = "", reason } }) =>
    revoke(operator, sessionId === undefined ? { queueId, jti, reason } : { queueId, sessionId, reason }),
});
