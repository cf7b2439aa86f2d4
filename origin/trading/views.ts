import type { OrderRow, TradeRow } from "../engine/changes.ts";
import type { CancelReason } from "../engine/terms.ts";
import { amountText, rateText } from "../instruments/amounts.ts";
import {
  averagePriceText,
  feeCurrencyOf,
  feeScaleOf,
  type Grid,
  type KnownPair,
  priceText,
  quantityText,
} from "../instruments/grid.ts";
import { conditionsOf, conditionTexts } from "./conditions.ts";
import type { Fill, Order, Pair } from "./trading-port.ts";

/** An order in the state of its commit. */
export function orderOf(order: OrderRow, grid: Grid): Order {
  const filled = { valueSteps: order.filledValue, quantitySteps: BigInt(order.filledLots) * grid.lotSteps };
  return {
    id: String(order.id),
    clientOrderId: order.clientOrderId === "" ? null : order.clientOrderId,
    pair: order.pair,
    side: order.side,
    type: order.type,
    timeInForce: order.timeInForce,
    postOnly: order.postOnly,
    price: order.ticks === 0 ? null : priceText(order.ticks, grid),
    quantity: order.lots === 0 && order.quoteAmount !== 0n ? null : quantityText(order.lots, grid),
    quoteAmount: order.quoteAmount === 0n ? null : amountText(order.quoteAmount, grid.quoteScale),
    filledQuantity: quantityText(order.filledLots, grid),
    filledValue: amountText(order.filledValue, grid.quoteScale),
    averagePrice: averagePriceText(filled, grid),
    fee: amountText(order.feePaid, feeScaleOf(order.side, grid)),
    feeCurrency: feeCurrencyOf(order.side, grid),
    status: order.status,
    cancelReason: publicCancelReason(order.cancelReason),
    createdAt: order.createdAt,
    updatedAt: order.updatedAt,
    ...(order.conditions && conditionsOf(order.conditions, conditionTexts(order.conditions, grid), order.status)),
  };
}

/**
 * The engine also notes why a market order by quote amount has an amount left that is too small for one more lot. Such
 * an order is filled, so nothing was cancelled.
 */
export function publicCancelReason(reason: CancelReason | null): Order["cancelReason"] {
  return reason === null || reason === "" || reason === "fundsSpent" ? null : reason;
}

export function fillOf(trade: TradeRow, side: "buy" | "sell", grid: Grid): Fill {
  const isBuy = side === "buy";
  return {
    id: String(trade.id),
    orderId: String(isBuy ? trade.buyOrderId : trade.sellOrderId),
    pair: trade.pair,
    side,
    price: priceText(trade.ticks, grid),
    quantity: quantityText(trade.lots, grid),
    value: amountText(trade.value, grid.quoteScale),
    fee: amountText(isBuy ? trade.buyFee : trade.sellFee, feeScaleOf(side, grid)),
    feeCurrency: feeCurrencyOf(side, grid),
    liquidity: trade.takerSide === side && trade.auction === 0 ? "taker" : "maker",
    at: trade.at,
  };
}

export function pairOf(pair: KnownPair): Pair {
  return {
    pair: pair.pair,
    name: `${pair.baseCurrency}/${pair.quoteCurrency}`.toUpperCase(),
    baseCurrency: pair.baseCurrency,
    quoteCurrency: pair.quoteCurrency,
    tickSize: amountText(pair.tickSteps, pair.quoteScale),
    lotSize: amountText(pair.lotSteps, pair.baseScale),
    minimumValue: amountText(pair.valueStepsMin, pair.quoteScale),
    makerFeeRate: rateText(pair.makerFeePpm),
    takerFeeRate: rateText(pair.takerFeePpm),
    priceBandRate: rateText(pair.bandPpm),
    state: pair.state,
    isTrading: pair.state === "trading",
    auctionOpensAt: pair.opensAt === 0 ? null : pair.opensAt,
    auctionFreezeSeconds: pair.freezeMs / 1_000,
    lastPrice: pair.lastTicks === 0 ? null : priceText(pair.lastTicks, pair),
    version: pair.version,
  };
}
