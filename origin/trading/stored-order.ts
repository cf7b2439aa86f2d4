import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { parseMoney } from "../../shared/money.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import { averageText, type OrderAnswer, publicCancelReason } from "./order-answer.ts";

const number = z.string().regex(/^\d+$/).transform(Number);
const orNull = z.string().nullable().default(null);

/** An order as the projection has written it: what is the rule for a field is left out. */
const storedSchema = z.object({
  id: z.string(),
  user: z.string(),
  pair: z.string(),
  side: z.enum(["buy", "sell"]),
  type: z.enum(["limit", "market"]).default("limit"),
  time_in_force: z.enum(["GTC", "IOC", "FOK"]).default("GTC"),
  post_only: z.enum(["0", "1"]).default("0"),
  price: orNull,
  quantity: orNull,
  quote_amount: orNull,
  client_order_id: orNull,
  created_at: number,
  status: z.enum(["open", "partiallyFilled", "filled", "cancelled"]),
  cancel_reason: z
    .enum(["user", "immediateOrCancel", "selfTrade", "noLiquidity", "priceBand", "tooManyFills", "fundsSpent"])
    .nullable()
    .default(null),
  updated_at: number,
  filled_quantity: z.string().default("0"),
  filled_value: z.string().default("0"),
  fee_paid: z.string().default("0"),
});

/** None for an order that is not there. */
export function pairOfStored(reply: unknown): readonly string[] {
  const pair = (reply as { pair?: unknown } | null)?.pair;
  return typeof pair === "string" ? [pair] : [];
}

/** Undefined for an order that is not there, or not this user's. */
export function storedOrder(reply: unknown, user: string, pairs: KnownPairs): OrderAnswer | undefined {
  if (typeof reply !== "object" || reply === null || (reply as { user?: unknown }).user !== user) return undefined;
  const stored = storedSchema.parse(reply);
  const pair = pairs.pair(stored.pair);
  assert(pair !== undefined, "the pair of an order is known");
  const stepsOf = (text: string, scale: number) => {
    const parsed = parseMoney(text, scale);
    assert(parsed.ok, "an amount in Redis is one that we wrote");
    return parsed.value;
  };
  return {
    id: stored.id,
    clientOrderId: stored.client_order_id,
    pair: stored.pair,
    side: stored.side,
    type: stored.type,
    timeInForce: stored.time_in_force,
    postOnly: stored.post_only === "1",
    price: stored.price,
    quantity: stored.quantity,
    quoteAmount: stored.quote_amount,
    filledQuantity: stored.filled_quantity,
    filledValue: stored.filled_value,
    averagePrice: averageText(stepsOf(stored.filled_value, pair.quoteScale), stepsOf(stored.filled_quantity, pair.baseScale), pair),
    fee: stored.fee_paid,
    feeCurrency: stored.side === "buy" ? pair.baseCurrency : pair.quoteCurrency,
    status: stored.status,
    cancelReason: publicCancelReason(stored.cancel_reason),
    createdAt: stored.created_at,
    updatedAt: stored.updated_at,
  };
}
