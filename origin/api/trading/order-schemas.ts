import { z } from "zod";
import type { Fill, NewOrder, Order, OrderWithFills } from "../../trading/trading-port.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { decimalField, pairField } from "./fields.ts";

/**
 * A client's own name for an order: safe in a URL as it is. `.` and `..` are not, however they are written (RFC 3986,
 * 5.2.4): the path `/orders/client/..` is `/orders/` to every client and proxy, so that such an order could not be
 * cancelled by its name.
 */
export const clientOrderIdField = z
  .string()
  .regex(/^(?!\.\.?$)[A-Za-z0-9_.:-]{1,64}$/, "must be 1 to 64 letters, digits or any of _ . : - and not just . or ..")
  .describe(
    "Your own name for the order, not `.` or `..`. The same name with the same content is one order, for 24 hours.",
  );

const typeField = z.enum(["limit", "market", "stop", "stopLimit", "takeProfit", "takeProfitLimit"]);
const timeInForceField = z.enum(["GTC", "IOC", "FOK", "GTD"]);
const selfTradeField = z.enum(["cancelNewest", "cancelOldest", "cancelBoth", "none", "decrement"]);

/** Of every order, alone or in a list. */
export const newOrderFields = {
  side: z.enum(["buy", "sell"]),
  type: typeField.describe(
    "`stop` and `takeProfit` become market orders when the last price reaches `stopPrice`, `stopLimit` and " +
      "`takeProfitLimit` limit orders. A stop sells at or below its trigger price and buys at or above it; a take-profit " +
      "sells at or above and buys at or below.",
  ),
  price: decimalField
    .optional()
    .describe("Of an order with a limit, for one whole unit of the base currency; a multiple of the pair's tick."),
  stopPrice: decimalField
    .optional()
    .describe(
      "The trigger price; with `trailingBps` the price at which trailing begins. A multiple of the pair's tick.",
    ),
  trailingBps: z
    .int()
    .optional()
    .describe(
      "1 to 5000 basis points: the order follows the best price since it became active and triggers so far behind it. " +
        "Without `stopPrice` it is active at once.",
    ),
  quantity: decimalField.optional().describe("In the base currency; a multiple of the pair's lot."),
  quoteAmount: decimalField
    .optional()
    .describe("Instead of `quantity`, for `market`, `stop` and `takeProfit`: an amount of the quote currency."),
  timeInForce: timeInForceField
    .optional()
    .describe("GTC by default, GTD with `expiresAt`; IOC for an order that trades at the market."),
  expiresAt: z.int().min(0).optional().describe("Of GTD, within a year: the order is cancelled then."),
  postOnly: z.boolean().default(false).describe("Rejected if it would trade immediately."),
  selfTrade: selfTradeField
    .optional()
    .describe(
      "Which order is cancelled when two orders of yours would trade with each other: `cancelNewest` by default. With " +
        "`decrement` both shrink by the smaller one, with `none` they trade.",
    ),
  selfTradePrevention: selfTradeField
    .optional()
    .meta({ deprecated: true, description: "The earlier name of `selfTrade`." }),
  clientOrderId: clientOrderIdField.optional(),
};

const percentField = decimalField.optional();

export const exitFields = {
  targetProfit: percentField.describe(
    "Of a `limit` or `market` buy, in percent (up to 1000): a sell order for what was received follows at so much more " +
      "than the average price paid.",
  ),
  stopLoss: percentField.describe(
    "Of a `limit` or `market` buy, in percent (below 100): what was received is sold at the market when the price is so " +
      "much lower than the average price paid.",
  ),
};

export const newOrderSchema = z
  .strictObject({ pair: pairField, ...newOrderFields, ...exitFields })
  .register(bodySchemas, { id: "NewOrder" }) satisfies z.ZodType<NewOrder>;

const decimal = z.string().describe("A decimal number.");

/** Each of them is there if it applies. */
const conditionFields = {
  stopPrice: decimal.optional(),
  trailingBps: z.int().optional(),
  extremePrice: decimal.optional().describe("The best price that a trailing order has seen since it became active."),
  phase: z
    .enum(["dormant", "waiting", "tracking", "reached", "placed"])
    .optional()
    .describe(
      "Of a pending order. `dormant`: it waits for the working order of its list. `waiting`: for `stopPrice`. `tracking`: a " +
        "trailing order follows the price. `reached`: it is about to run.",
    ),
  triggeredAt: z.int().optional(),
  expiresAt: z.int().optional(),
  listId: z.string().optional(),
  listRole: z.enum(["working", "pending", "above", "below"]).optional(),
  buyOrderId: z.string().optional().describe("Of a sell order that follows a buy with `targetProfit` or `stopLoss`."),
  sellOrderId: z
    .string()
    .optional()
    .describe("Of such a buy: the sell order with the target, or the one with the stop."),
  targetProfit: decimal.optional(),
  stopLoss: decimal.optional(),
  originalQuantity: decimal.optional().describe("When it was placed, if the quantity is smaller now."),
  preventedQuantity: decimal.optional().describe("Taken away by self-trade prevention."),
};

const orderFields = {
  id: z.string(),
  clientOrderId: z.string().nullable(),
  pair: z.string(),
  side: z.enum(["buy", "sell"]),
  type: typeField,
  timeInForce: timeInForceField,
  postOnly: z.boolean(),
  price: decimal.nullable().describe("null for an order that trades at the market."),
  quantity: decimal.nullable().describe("null for an order by quote amount."),
  quoteAmount: decimal.nullable(),
  filledQuantity: decimal,
  filledValue: decimal.describe("The value of the filled quantity, in the quote currency."),
  averagePrice: decimal
    .nullable()
    .describe("filledValue divided by filledQuantity, rounded down; null before the first fill."),
  fee: decimal.describe("Paid so far, taken from what the order receives."),
  feeCurrency: z.string(),
  status: z
    .enum(["pending", "open", "partiallyFilled", "filled", "cancelled", "failed", "stopped"])
    .describe(
      "`pending`: it waits for its trigger or for the working order of its list, outside the book. `failed`: it could " +
        "neither trade nor rest when its time came. `stopped`: it sold as the stop loss of a buy.",
    ),
  cancelReason: z
    .enum([
      ...(["user", "immediateOrCancel", "selfTrade", "noLiquidity", "priceBand", "tooManyFills", "expired"] as const),
      ...(["cancelAfter", "replaced", "list", "exitBegun", "fillOrKill", "postOnly", "fundsInsufficient"] as const),
      "reserveSpent",
    ])
    .nullable()
    .describe("Why the order ended before it was filled; null for an order that waits, is open or filled."),
  createdAt: z.int(),
  updatedAt: z.int(),
  ...conditionFields,
};

export const orderSchema = z
  .strictObject(orderFields)
  .register(answerSchemas, { id: "Order" }) satisfies z.ZodType<Order>;

export const fillSchema = z
  .strictObject({
    id: z.string(),
    orderId: z.string(),
    pair: z.string(),
    side: z.enum(["buy", "sell"]),
    price: decimal,
    quantity: decimal,
    value: decimal,
    fee: decimal,
    feeCurrency: z.string(),
    liquidity: z.enum(["maker", "taker"]),
    at: z.int(),
  })
  .register(answerSchemas, { id: "Fill" }) satisfies z.ZodType<Fill>;

export const orderWithFillsSchema = z
  .strictObject({
    ...orderFields,
    fills: z.array(fillSchema),
    hasAllFills: z.boolean().describe("False when some of the oldest fills were not found."),
  })
  .register(answerSchemas, { id: "OrderWithFills" }) satisfies z.ZodType<OrderWithFills>;
