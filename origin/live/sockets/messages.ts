import { z } from "zod";
import { fieldFaults } from "../../../shared/http/field-faults.ts";
import { parsePlainJson } from "../../../shared/http/plain-json.ts";
import type { ClientMessage, ControlMessage } from "../../../shared/live/messages.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { TOKEN_CHARS_MAX } from "../../../shared/tokens/admission.ts";

const ID_CHARS_MAX = 64;
const NAME_CHARS_MAX = 80;
const EPOCH_CHARS_MAX = 32;
/** Of one socket. */
export const SUBSCRIPTIONS_MAX = 200;

const idSchema = z.union([z.string().max(ID_CHARS_MAX), z.int()]).optional();
const nameSchema = z.string().min(1).max(NAME_CHARS_MAX);
const channelsSchema = z
  .array(nameSchema)
  .min(1)
  .max(SUBSCRIPTIONS_MAX)
  .describe("`book:<pair>`, `trades:<pair>` and other public channels; `orders`, `balances`, `trades` of the user.");

export const positionSchema = z.strictObject({
  epoch: z.string().max(EPOCH_CHARS_MAX).describe("The life of the journal: a restore begins another."),
  seq: z.int().min(0).describe("The last message's `seq`."),
});

export const clientMessageSchemas = {
  subscribe: z.strictObject({
    type: z.literal("subscribe"),
    id: idSchema,
    channels: channelsSchema,
    from: z
      .record(nameSchema, positionSchema)
      .optional()
      .describe("Where to resume, by channel; a channel that is not named begins with a snapshot."),
  }),
  unsubscribe: z.strictObject({ type: z.literal("unsubscribe"), id: idSchema, channels: channelsSchema }),
  list: z.strictObject({ type: z.literal("list"), id: idSchema }),
  ping: z.strictObject({ type: z.literal("ping"), id: idSchema }),
  authenticate: z.strictObject({
    type: z.literal("authenticate"),
    id: idSchema,
    accessToken: z.string().max(TOKEN_CHARS_MAX),
  }),
  authenticateWithKey: z.strictObject({
    type: z.literal("authenticate"),
    id: idSchema,
    apiKey: z.string().max(ID_CHARS_MAX),
    timestamp: z.int().describe("Milliseconds since 1970."),
    signature: z
      .string()
      .max(2 * ID_CHARS_MAX)
      .describe("Of a request `GET /api/v1/ws` without a body; see the OpenAPI document."),
    window: z.int().optional(),
    nonce: z.string().max(ID_CHARS_MAX).optional(),
  }),
} as const;

const clientMessageSchema: z.ZodType<ClientMessage> = z.union([
  z.discriminatedUnion("type", [
    clientMessageSchemas.subscribe,
    clientMessageSchemas.unsubscribe,
    clientMessageSchemas.list,
    clientMessageSchemas.ping,
    clientMessageSchemas.authenticate,
  ]),
  clientMessageSchemas.authenticateWithKey,
]);

export function readMessage(data: Buffer, isBinary: boolean): Result<ClientMessage, ControlMessage> {
  const json = isBinary ? fail("malformed") : parsePlainJson(data.toString("utf8"));
  if (!json.ok) return fail({ type: "error", code: "json_malformed" });
  const message = clientMessageSchema.safeParse(json.value);
  return message.success
    ? ok(message.data)
    : fail({ type: "error", code: "validation_failed", errors: fieldFaults(message.error) });
}

/** Reasons to close a socket, with the close code. `docs/errors.md` says what a client can do about each. */
export const CLOSINGS = {
  nothing_subscribed: 4400,
  not_signed_in: 4401,
  session_ended: 4403,
  token_expired: 4408,
  role_changed: 4409,
  slow_reader: 4413,
  rate_limited: 4429,
  socket_limit_reached: 4430,
  venue_maintenance: 4503,
  store_unavailable: 1013,
  stopping: 1001,
  internal_error: 1011,
} as const;

export type Closing = keyof typeof CLOSINGS;
