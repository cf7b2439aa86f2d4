import type { Redis } from "ioredis";
import { z } from "zod";
import { adminOperation, type VenueOperation } from "../api/operation.ts";
import { readConnections } from "./connection-list.ts";

const connectionSchema = z.object({
  id: z.string(),
  connectedAt: z.int(),
  lastHeardAt: z.int(),
  channels: z.array(z.string()),
});

/** For admins: which sockets a user has open, in all processes. */
export function connectionOperations({ redis }: { readonly redis: Redis }): readonly VenueOperation[] {
  return [
    adminOperation({
      method: "get",
      path: "/admin/users/{userId}/connections",
      id: "listConnections",
      summary: "A user's open WebSockets, in all processes; up to half a minute late",
      limit: "admin",
      params: z.strictObject({ userId: z.uuid("must be the id of an account") }),
      answers: { 200: { description: "All of them.", schema: z.object({ connections: z.array(connectionSchema) }) } },
      refusals: [],
      run: async ({ answer }, { params: { userId } }) =>
        answer(200, { connections: await readConnections(redis, userId) }),
    }),
  ];
}
