import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { parseMoney } from "../../shared/money.ts";
import type { KnownPairs } from "../pairs/known-pairs.ts";
import type { orderFacts } from "../projections/order-texts.ts";
import { averageText, type OrderAnswer } from "./order-answer.ts";

const orNull = z.string().nullable().default(null);

/** An order as the projection has written it (`origin/projections/order-texts.ts`): what is the rule for a field is left out. */
const storedSchema = z.object({
  id: z.int(),
  user: z.string(),
  pair: z.string(),
  side: z.enum(["buy", "sell"]),
  type: z.enum(["limit", "market"]).default("limit"),
  time_in_force: z.enum(["GTC", "IOC", "FOK"]).default("GTC"),
  post_only: z.boolean().default(false),
  price: orNull,
  quantity: orNull,
  quote_amount: orNull,
  client_order_id: orNull,
  created_at: z.int(),
  status: z.enum(["open", "partiallyFilled", "filled", "cancelled"]),
  cancel_reason: z
    .enum(["user", "immediateOrCancel", "selfTrade", "noLiquidity", "priceBand", "tooManyFills", "fundsSpent"])
    .nullable()
    .default(null),
  updated_at: z.int(),
  filled_quantity: z.string().default("0"),
  filled_value: z.string().default("0"),
  fee_paid: z.string().default("0"),
});

type OrderFacts = ReturnType<typeof orderFacts>;

/** None for an order that is not there. */
export function pairOfStored(facts: OrderFacts): readonly string[] {
  const pair = facts?.["pair"];
  return typeof pair === "string" ? [pair] : [];
}

/** Undefined for an order that is not there, or not this user's. */
export function storedOrder(facts: OrderFacts, user: string, pairs: KnownPairs): OrderAnswer | undefined {
  if (facts === undefined || facts["user"] !== user) return undefined;
  const stored = storedSchema.parse(facts);
  const pair = pairs.pair(stored.pair);
  assert(pair !== undefined, "the pair of an order is known");
  const stepsOf = (text: string, scale: number) => {
    const parsed = parseMoney(text, scale);
    assert(parsed.ok, "an amount in Redis is one that we wrote");
    return parsed.value;
  };
  return {
    id: String(stored.id),
    clientOrderId: stored.client_order_id,
    pair: stored.pair,
    side: stored.side,
    type: stored.type,
    timeInForce: stored.time_in_force,
    postOnly: stored.post_only,
    price: stored.price,
    quantity: stored.quantity,
    quoteAmount: stored.quote_amount,
    filledQuantity: stored.filled_quantity,
    filledValue: stored.filled_value,
    averagePrice: averageText(stepsOf(stored.filled_value, pair.quoteScale), stepsOf(stored.filled_quantity, pair.baseScale), pair),
    fee: stored.fee_paid,
    feeCurrency: stored.side === "buy" ? pair.baseCurrency : pair.quoteCurrency,
    status: stored.status,
    cancelReason: stored.cancel_reason,
    createdAt: stored.created_at,
    updatedAt: stored.updated_at,
  };
}
