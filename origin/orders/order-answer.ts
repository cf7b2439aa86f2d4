import { z } from "zod";
import { answerSchemas } from "../api/schemas.ts";
import type { OrderRow, TradeRow } from "../engine/changes.ts";
import type { CancelReason } from "../engine/terms.ts";
import { amountText, type KnownPair, priceText, quantityText } from "../pairs/pair-numbers.ts";

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
  filledValue: decimal.describe("What the filled quantity was worth, in the quote currency."),
  averagePrice: decimal.nullable().describe("filledValue by filledQuantity, rounded down; null before the first fill."),
  fee: decimal.describe("Paid so far, taken from what the order receives."),
  feeCurrency: z.string(),
  status: z.enum(["open", "partiallyFilled", "filled", "cancelled"]),
  cancelReason: z
    .enum(["user", "immediateOrCancel", "selfTrade", "noLiquidity", "priceBand", "tooManyFills"])
    .nullable()
    .describe("Why it ended before it was filled; null for an order that is open or filled."),
  createdAt: z.int(),
  updatedAt: z.int(),
};

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
  .register(answerSchemas, { id: "Fill" });

export const orderSchema = z.strictObject(orderFields).register(answerSchemas, { id: "Order" });
export const orderWithFillsSchema = z
  .strictObject({
    ...orderFields,
    fills: z.array(fillSchema),
    hasAllFills: z.boolean().describe("False when some of the oldest could not be found."),
  })
  .register(answerSchemas, { id: "OrderWithFills" });

export type OrderAnswer = z.input<typeof orderSchema>;
export type OrderWithFills = z.input<typeof orderWithFillsSchema>;
export type Fill = z.input<typeof fillSchema>;

/** An order as the engine has just left it. */
export function orderAnswer(order: OrderRow, pair: KnownPair): OrderAnswer {
  return {
    id: String(order.id),
    clientOrderId: order.clientOrderId === "" ? null : order.clientOrderId,
    pair: order.pair,
    side: order.side,
    type: order.type,
    timeInForce: order.timeInForce,
    postOnly: order.postOnly,
    price: order.type === "limit" ? priceText(order.ticks, pair) : null,
    quantity: order.lots === 0 ? null : quantityText(order.lots, pair),
    quoteAmount: order.quoteAmount === 0n ? null : amountText(order.quoteAmount, pair.quoteScale),
    filledQuantity: quantityText(order.filledLots, pair),
    filledValue: amountText(order.filledValue, pair.quoteScale),
    averagePrice: averageText(order.filledValue, BigInt(order.filledLots) * pair.lotSteps, pair),
    fee: amountText(order.feePaid, order.side === "buy" ? pair.baseScale : pair.quoteScale),
    feeCurrency: order.side === "buy" ? pair.baseCurrency : pair.quoteCurrency,
    status: order.status,
    cancelReason: publicCancelReason(order.cancelReason),
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
  };
}

/**
 * The engine also notes why a market order by quote amount has something left that buys no lot more. Such an order is filled, so nothing
 * was cancelled.
 */
export function publicCancelReason(reason: CancelReason | null): OrderAnswer["cancelReason"] {
  return reason === null || reason === "" || reason === "fundsSpent" ? null : reason;
}

/** Rounded down to the quote currency's smallest step. */
export function averageText(valueSteps: bigint, baseSteps: bigint, pair: Pick<KnownPair, "baseScale" | "quoteScale">): string | null {
  if (baseSteps === 0n) return null;
  return amountText((valueSteps * 10n ** BigInt(pair.baseScale)) / baseSteps, pair.quoteScale);
}

/** A trade as one of its two sides sees it: nothing in it says who the other one is. */
export function fillOf(trade: TradeRow, side: "buy" | "sell", pair: KnownPair): Fill {
  const isBuy = side === "buy";
  return {
    id: String(trade.id),
    orderId: String(isBuy ? trade.buyOrderId : trade.sellOrderId),
    pair: trade.pair,
    side,
    price: priceText(trade.ticks, pair),
    quantity: quantityText(trade.lots, pair),
    value: amountText(trade.value, pair.quoteScale),
    fee: isBuy ? amountText(trade.buyFee, pair.baseScale) : amountText(trade.sellFee, pair.quoteScale),
    feeCurrency: isBuy ? pair.baseCurrency : pair.quoteCurrency,
    liquidity: trade.takerSide === side ? "taker" : "maker",
    at: trade.at,
  };
}
