import { z } from "zod";
import { type FieldFault, fieldFaults } from "../../shared/http/field-faults.ts";
import { parsePlainJson } from "../../shared/http/plain-json.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { TOKEN_CHARS_MAX } from "../../shared/tokens/admission.ts";

/** Messages of a client, one JSON object each. */
export type ClientMessage = z.output<typeof clientMessageSchema>;

export type ServerMessage =
  | { readonly type: "authenticated"; readonly userId: string; readonly sessionId: string; readonly expiresAt: number }
  | { readonly type: "pong"; readonly id?: string | number; readonly serverTime: number }
  | {
      readonly type: "error";
      readonly code: string;
      readonly detail?: string;
      readonly errors?: readonly FieldFault[];
    };

const PING_ID_CHARS_MAX = 64;

const clientMessageSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("authenticate"), accessToken: z.string().max(TOKEN_CHARS_MAX) }),
  z.strictObject({ type: z.literal("ping"), id: z.union([z.string().max(PING_ID_CHARS_MAX), z.int()]).optional() }),
]);

export function readMessage(data: Buffer, isBinary: boolean): Result<ClientMessage, ServerMessage> {
  const json = isBinary ? fail("malformed") : parsePlainJson(data.toString("utf8"));
  if (!json.ok) return fail({ type: "error", code: "json_malformed" });
  const message = clientMessageSchema.safeParse(json.value);
  return message.success
    ? ok(message.data)
    : fail({ type: "error", code: "validation_failed", errors: fieldFaults(message.error) });
}

/** Reasons to close a socket, with the close code. `docs/errors.md` says what a client can do about each. */
export const CLOSINGS = {
  not_signed_in: 4401,
  session_ended: 4403,
  token_expired: 4408,
  role_changed: 4409,
  rate_limited: 4429,
  socket_limit_reached: 4430,
  venue_maintenance: 4503,
  store_unavailable: 1013,
  stopping: 1001,
  internal_error: 1011,
} as const;

export type Closing = keyof typeof CLOSINGS;
