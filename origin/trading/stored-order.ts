import { z } from "zod";
import { assert } from "../../shared/assert.ts";
import { stepsOf } from "../instruments/amounts.ts";
import { averagePriceText, feeCurrencyOf } from "../instruments/grid.ts";
import { conditionRowFrom, type ReadFields } from "../journal/row-fields.ts";
import type { KnownPairs } from "../state/known-pairs.ts";
import { type ConditionTexts, conditionsOf } from "./conditions.ts";
import type { Order } from "./trading-port.ts";
import { publicCancelReason } from "./views.ts";

const number = z.string().regex(/^\d+$/).transform(Number);
const orNull = z.string().nullable().default(null);

/** An order as the projection stores it: fields with their default value are omitted. */
const storedSchema = z.object({
  id: z.string(),
  user: z.string(),
  pair: z.string(),
  side: z.enum(["buy", "sell"]),
  type: z.enum(["limit", "market", "stop", "stopLimit", "takeProfit", "takeProfitLimit"]).default("limit"),
  time_in_force: z.enum(["GTC", "IOC", "FOK", "GTD"]).default("GTC"),
  post_only: z.enum(["0", "1"]).default("0"),
  price: orNull,
  quantity: orNull,
  quote_amount: orNull,
  client_order_id: orNull,
  created_at: number,
  status: z.enum(["pending", "open", "partiallyFilled", "filled", "cancelled", "failed", "stopped"]),
  cancel_reason: z
    .enum([
      "user",
      "immediateOrCancel",
      "selfTrade",
      "noLiquidity",
      "priceBand",
      "tooManyFills",
      "fundsSpent",
      "expired",
      "cancelAfter",
      "replaced",
      "list",
      "exitBegun",
      "fillOrKill",
      "postOnly",
      "fundsInsufficient",
      "reserveSpent",
    ])
    .nullable()
    .default(null),
  updated_at: number,
  filled_quantity: z.string().default("0"),
  filled_value: z.string().default("0"),
  fee_paid: z.string().default("0"),
  conditions: z
    .string()
    .transform((text) => conditionRowFrom(JSON.parse(text) as ReadFields))
    .optional(),
  stop_price: z.string().optional(),
  extreme_price: z.string().optional(),
  original_quantity: z.string().optional(),
  prevented_quantity: z.string().optional(),
});

type Stored = z.output<typeof storedSchema>;

/** Empty for an order that does not exist. */
export function pairOfStored(reply: unknown): readonly string[] {
  const pair = (reply as { pair?: unknown } | null)?.pair;
  return typeof pair === "string" ? [pair] : [];
}

/** Undefined for an order that does not exist or belongs to another user. */
export function storedOrder(reply: unknown, user: string, pairs: KnownPairs): Order | undefined {
  if (typeof reply !== "object" || reply === null || (reply as { user?: unknown }).user !== user) return undefined;
  const stored = storedSchema.parse(reply);
  const pair = pairs.pair(stored.pair);
  assert(pair !== undefined, "the pair of an order is known");
  const filled = {
    valueSteps: stepsOf(stored.filled_value, pair.quoteScale),
    quantitySteps: stepsOf(stored.filled_quantity, pair.baseScale),
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
    quantity: stored.quantity ?? (stored.quote_amount === null ? "0" : null),
    quoteAmount: stored.quote_amount,
    filledQuantity: stored.filled_quantity,
    filledValue: stored.filled_value,
    averagePrice: averagePriceText(filled, pair),
    fee: stored.fee_paid,
    feeCurrency: feeCurrencyOf(stored.side, pair),
    status: stored.status,
    cancelReason: publicCancelReason(stored.cancel_reason),
    createdAt: stored.created_at,
    updatedAt: stored.updated_at,
    ...(stored.conditions && conditionsOf(stored.conditions, textsOf(stored), stored.status)),
  };
}

function textsOf(stored: Stored): ConditionTexts {
  const { stop_price: stopPrice, extreme_price: extremePrice } = stored;
  const { original_quantity: originalQuantity, prevented_quantity: preventedQuantity } = stored;
  return {
    ...(stopPrice !== undefined && { stopPrice }),
    ...(extremePrice !== undefined && { extremePrice }),
    ...(originalQuantity !== undefined && { originalQuantity }),
    ...(preventedQuantity !== undefined && { preventedQuantity }),
  };
}
