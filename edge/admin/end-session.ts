import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { revoke } from "./revoke.ts";
import { bodySchemas, queueParams, reasonField, sessionIdField } from "./schemas.ts";

const UNTOLD_REASON = "ended by an operator";

/** Not every client can send a body with DELETE, so the words may stand in the query as well. */
const endingSchema = z.strictObject({ reason: reasonField }).register(bodySchemas, { id: "Ending" });

export const endSession = defineOperation({
  method: "delete",
  path: "/admin/queues/{queueId}/sessions/{sessionId}",
  id: "endSession",
  summary: "End a session: its slot is free at once, its passes are refused everywhere within 2 s, its visitor cannot come back with them",
  params: queueParams.extend({ sessionId: sessionIdField }),
  query: z.strictObject({ reason: reasonField.optional() }),
  body: { schema: endingSchema.optional() },
  answers: {
    204: { description: "Ended, also if the store does not know it: its pass may be good all the same. Asking again changes nothing." },
  },
  refusals: ["queue_not_found"],
  run: (operator, { params, query, body }) => revoke(operator, { ...params, reason: body?.reason ?? query.reason ?? UNTOLD_REASON }),
});
