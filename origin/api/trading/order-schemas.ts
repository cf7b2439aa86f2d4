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

export const newOrderSchema = z
  .strictObject({
    pair: pairField,
    side: z.enum(["buy", "sell"]),
    type: z.enum(["limit", "market"]),
    price: decimalField
      .optional()
      .describe("Of a limit order, for one whole unit of the base currency; a multiple of the pair's tick."),
    quantity: decimalField.optional().describe("In the base currency; a multiple of the pair's lot."),
    quoteAmount: decimalField
      .optional()
      .describe("Instead of `quantity`, for a market order: an amount of the quote currency."),
    timeInForce: z.enum(["GTC", "IOC", "FOK"]).optional().describe("GTC by default; IOC for a market order."),
    postOnly: z.boolean().default(false).describe("Rejected if it would trade immediately."),
    selfTradePrevention: z
      .enum(["cancelNewest", "cancelOldest", "cancelBoth"])
      .default("cancelNewest")
      .describe("Which order is cancelled when two orders of yours would trade with each other."),
    clientOrderId: clientOrderIdField.optional(),
  })
  .register(bodySchemas, { id: "NewOrder" }) satisfies z.ZodType<NewOrder>;

const decimal = z.string().describe("A decimal number.");

const orderFields = {
  id: z.string(),
  clientOrderId: z.string().nullable(),
  pair: z.string(),
  side: z.enum(["buy", "sell"]),
  type: z.enum(["limit", "market"]),
  timeInForce: z.enum(["GTC", "IOC", "FOK"]),
  postOnly: z.boolean(),
  price: decimal.nullable().describe("null for a market order."),
  quantity: decimal.nullable().describe("null for a market order by quote amount."),
  quoteAmount: decimal.nullable(),
  filledQuantity: decimal,
  filledValue: decimal.describe("The value of the filled quantity, in the quote currency."),
  averagePrice: decimal
    .nullable()
    .describe("filledValue divided by filledQuantity, rounded down; null before the first fill."),
  fee: decimal.describe("Paid so far, taken from what the order receives."),
  feeCurrency: z.string(),
  status: z.enum(["open", "partiallyFilled", "filled", "cancelled"]),
  cancelReason: z
    .enum(["user", "immediateOrCancel", "selfTrade", "noLiquidity", "priceBand", "tooManyFills"])
    .nullable()
    .describe("Why the order ended before it was filled; null for an open or filled order."),
  createdAt: z.int(),
  updatedAt: z.int(),
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
