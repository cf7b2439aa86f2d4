import { z } from "zod";
import { actorOf } from "../api/accounts/admin-operations.ts";
import { adminOperation, type VenueOperation } from "../api/operation.ts";
import { answerSchemas, bodySchemas } from "../api/schemas.ts";
import type { SystemSettings } from "./system-settings.ts";

const fields = {
  maintenanceMode: z.boolean().describe("On: all users but admins get 503 with the message, within a second."),
  maintenanceMessage: z.string().trim().max(500),
  maxOpenOrders: z.int().min(1).max(10_000).describe("Open orders of one user."),
  minVolumeFilter: z
    .string()
    .regex(/^(0|[1-9]\d{0,21})(\.\d{1,8})?$/, "must be a decimal number of at most 22 digits and 8 decimals")
    .describe("Pairs with less volume are left out of the gap analysis."),
};

const answered = z.strictObject(fields).register(answerSchemas, { id: "System" });
const wanted = z.strictObject(fields).register(bodySchemas, { id: "SystemSettings" });

export function systemOperations(system: SystemSettings): readonly VenueOperation[] {
  return [
    adminOperation({
      method: "get",
      path: "/admin/system",
      id: "readSystem",
      summary: "The venue's settings",
      limit: "admin",
      answers: { 200: { description: "The current settings.", schema: answered } },
      refusals: ["database_unavailable"],
      run: async ({ answer }) => answer(200, await system.read()),
    }),
    adminOperation({
      method: "put",
      path: "/admin/system",
      id: "replaceSystem",
      summary: "Replace all settings of the venue; they apply in every process within a second",
      limit: "admin",
      body: { schema: wanted },
      answers: { 200: { description: "Written.", schema: answered } },
      refusals: ["database_unavailable"],
      run: async (caller, { body }) => caller.answer(200, await system.replace(actorOf(caller), body)),
    }),
  ];
}
