import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { revoke } from "./revoke.ts";
import { bodySchemas, jtiField, queueIdField, reasonField, sessionIdField } from "./schemas.ts";

const revocationSchema = z
  .strictObject({
    queueId: queueIdField,
    sessionId: sessionIdField.optional().describe("The session, with all its passes. Either this or jti."),
    jti: jtiField.optional().describe("One pass alone. Either this or sessionId."),
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
  summary: "Refuse a session or a single pass from now on: everywhere within 2 s, at once where revocationCheck is strict",
  body: { schema: revocationSchema },
  answers: { 204: { description: "Recorded, also if the store does not know it. Asking again changes nothing." } },
  refusals: ["queue_not_found"],
  run: (operator, { body: { queueId, sessionId, jti = "", reason } }) =>
    revoke(operator, sessionId === undefined ? { queueId, jti, reason } : { queueId, sessionId, reason }),
});
