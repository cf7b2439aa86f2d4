import { z } from "zod";
import { positionSchema } from "./sockets/messages.ts";

/** Messages of the server, for the AsyncAPI document; `shared/live/messages.ts` has the types. */

const decimal = z.string().describe("A decimal number.");
const time = z.int().describe("Milliseconds since 1970.");
const id = z.union([z.string(), z.int()]).optional();
const channels = z.array(z.string());
const level = z
  .tuple([decimal, decimal])
  .describe("Price and quantity. In an update, the quantity 0 removes the price.");
const loose = z.looseObject({});

const bookSchema = z.object({
  bids: z.array(level).describe("The best first in a snapshot."),
  asks: z.array(level),
  at: time,
  depth: z
    .int()
    .optional()
    .describe("In a snapshot: keep so many of the best prices of each side, and drop the others."),
});
const publicTrade = z.object({
  ...{ id: z.string(), price: decimal, quantity: decimal, value: decimal },
  ...{ takerSide: z.enum(["buy", "sell"]), at: time },
});
const balance = z.object({ currency: z.string(), available: decimal, frozen: decimal, total: decimal });

/** The data of each channel's messages. Objects of the REST API have the same fields as there. */
export const channelDataSchemas = {
  "book:{pair}": bookSchema,
  "trades:{pair}": z.object({ trades: z.array(publicTrade).describe("The oldest first.") }),
  "candles:{pair}:{tf}": z.object({
    candles: z
      .array(loose)
      .describe(
        "Complete bars as `GET /market/{pair}/candles` shows them, ascending: those that have changed. After a `reset`, read older ones there again.",
      ),
  }),
  "summary:{pair}": loose.describe("As `GET /market/{pair}/summary` shows it."),
  summary: z.object({ summaries: z.array(loose).describe("Of the pairs that have changed; a snapshot has all.") }),
  "auction:{pair}": loose.describe("As `GET /market/{pair}/auction` shows it."),
  prices: z.object({ items: z.array(loose) }).describe("As `GET /prices` shows them."),
  system: z.object({
    maintenance: z.object({ message: z.string() }).nullable(),
    pairs: z.array(z.object({ pair: z.string(), state: z.string() })),
  }),
  orders: z.object({ orders: z.array(loose).describe("As `GET /orders` shows them. A snapshot has the open ones.") }),
  positions: z.object({ positions: z.array(loose).describe("As `GET /positions` shows them.") }),
  balances: z.object({ balances: z.array(balance) }),
  trades: z.object({ trades: z.array(loose).describe("As `GET /trades` shows them, the oldest first.") }),
} as const;

export function channelMessageSchema(data: z.ZodType): z.ZodObject {
  return z.object({
    channel: z.string(),
    ...positionSchema.shape,
    prev: z.int().describe("The `seq` of the message before it on this subscription: another value means a gap."),
    type: z.enum(["snapshot", "update", "reset"]).describe("`reset`: a snapshot instead of messages that are gone."),
    data,
  });
}

export const controlSchemas = {
  subscribed: z.object({ type: z.literal("subscribed"), id, channels }),
  unsubscribed: z.object({ type: z.literal("unsubscribed"), id, channels }),
  subscriptions: z.object({ type: z.literal("subscriptions"), id, channels }),
  authenticated: z.object({
    ...{ type: z.literal("authenticated"), id, userId: z.string() },
    ...{ sessionId: z.string().optional(), apiKeyId: z.string().optional(), expiresAt: time.nullable() },
  }),
  pong: z.object({ type: z.literal("pong"), id, serverTime: time }),
  heartbeat: z.object({ type: z.literal("heartbeat"), ...positionSchema.shape, serverTime: time }),
  reconnect: z
    .object({ type: z.literal("reconnect"), afterMs: z.int() })
    .describe("The process stops: reconnect after this time, and resume."),
  error: z.object({
    ...{ type: z.literal("error"), id, code: z.string().describe("Stable: switch on this.") },
    detail: z.string().optional(),
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
    resume: z.record(z.string(), positionSchema).optional().describe("After `slow_reader`."),
  }),
} as const;
