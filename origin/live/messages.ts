import { z } from "zod";
import { TOKEN_CHARS_MAX } from "../../shared/admission.ts";
import { type FieldFault, fieldFaults } from "../../shared/field-faults.ts";
import { parsePlainJson } from "../../shared/plain-json.ts";
import { fail, ok, type Result } from "../../shared/result.ts";

/** What a client may say, one JSON object to a message. */
export type ClientMessage = z.output<typeof clientMessageSchema>;

export type ServerMessage =
  | { readonly type: "authenticated"; readonly userId: string; readonly sessionId: string; readonly expiresAt: number }
  | { readonly type: "pong"; readonly id?: string | number; readonly serverTime: number }
  | { readonly type: "error"; readonly code: string; readonly detail?: string; readonly errors?: readonly FieldFault[] };

const PING_ID_CHARS_MAX = 64;

const clientMessageSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("authenticate"), accessToken: z.string().max(TOKEN_CHARS_MAX) }),
  z.strictObject({ type: z.literal("ping"), id: z.union([z.string().max(PING_ID_CHARS_MAX), z.int()]).optional() }),
]);

export function readMessage(data: Buffer, isBinary: boolean): Result<ClientMessage, ServerMessage> {
  const json = isBinary ? fail("malformed") : parsePlainJson(data.toString("utf8"));
  if (!json.ok) return fail({ type: "error", code: "json_malformed" });
  const message = clientMessageSchema.safeParse(json.value);
  return message.success ? ok(message.data) : fail({ type: "error", code: "validation_failed", errors: fieldFaults(message.error) });
}
