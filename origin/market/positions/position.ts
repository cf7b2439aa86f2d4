import { assert } from "../../../shared/assert.ts";
import { amountText, stepsOf } from "../../instruments/amounts.ts";
import type { PairScales } from "../candles/candle-view.ts";

/**
 * A user's result in one pair, by average cost. The rule:
 *
 * - Only trades change a position. Deposits, withdrawals and transfers do not: a user who sells deposited coins gets a
 *   negative quantity (a short position), with what was received as its cost.
 * - Fees are included. A buyer's fee reduces the quantity that was bought, a seller's fee the amount that was received.
 * - A trade in the direction of the position adds quantity and cost. A trade against it closes that share of the
 *   position: the share of the cost, rounded towards zero, leaves it, and the difference to what was received or paid
 *   is realised. A trade through zero closes the position and opens the opposite one with the rest of its value.
 *
 * The same trades in the same order give the same position, so it equals a recomputation from the ledger.
 */
export type Position = {
  /** In steps of the base currency; below 0 when more was sold than bought. */
  readonly quantity: bigint;
  /** Paid for the quantity, in steps of the quote currency; below 0 for a short position. */
  readonly cost: bigint;
  readonly realised: bigint;
  /** Fees so far, in steps of the base and of the quote currency; they are part of the figures above. */
  readonly baseFees: bigint;
  readonly quoteFees: bigint;
  readonly trades: number;
};

export const NO_POSITION: Position = { quantity: 0n, cost: 0n, realised: 0n, baseFees: 0n, quoteFees: 0n, trades: 0 };

export type PositionTrade = {
  readonly side: "buy" | "sell";
  /** In steps of the base currency, before the fee. */
  readonly quantity: bigint;
  /** In steps of the quote currency, before the fee. */
  readonly value: bigint;
  /** A buyer's in the base currency, a seller's in the quote currency. */
  readonly fee: bigint;
};

export function positionAfter(before: Position, { side, quantity, value, fee }: PositionTrade): Position {
  const isBuy = side === "buy";
  const fees = {
    baseFees: before.baseFees + (isBuy ? fee : 0n),
    quoteFees: before.quoteFees + (isBuy ? 0n : fee),
    trades: before.trades + 1,
  };
  const change = isBuy ? quantity - fee : -quantity;
  const paid = isBuy ? value : fee - value;
  return { ...moved(before, change, paid), ...fees };
}

/** `paid` is below 0 for what was received. */
function moved({ quantity, cost, realised }: Position, change: bigint, paid: bigint) {
  // The fee took all of it.
  if (change === 0n) return { quantity, cost, realised: realised - paid };
  if (quantity === 0n || quantity > 0n === change > 0n)
    return { quantity: quantity + change, cost: cost + paid, realised };
  const [size, closing] = [magnitude(quantity), magnitude(change)];
  if (closing <= size) {
    const costOut = (cost * closing) / size;
    return { quantity: quantity + change, cost: cost - costOut, realised: realised - paid - costOut };
  }
  const paidToClose = (paid * size) / closing;
  return { quantity: quantity + change, cost: paid - paidToClose, realised: realised - paidToClose - cost };
}

const magnitude = (value: bigint) => (value < 0n ? -value : value);

/** The result if the position were closed at this price, rounded towards zero; fees of that trade are not included. */
export function unrealisedAt({ quantity, cost }: Position, price: bigint, { baseScale }: PairScales): bigint {
  return (quantity * price) / 10n ** BigInt(baseScale) - cost;
}

/** The cost of one whole unit, rounded towards zero; undefined without a quantity. */
export function averageEntryOf({ quantity, cost }: Position, { baseScale }: PairScales): bigint | undefined {
  return quantity === 0n ? undefined : (cost * 10n ** BigInt(baseScale)) / quantity;
}

/** As in Redis. */
export function positionText(position: Position, { baseScale, quoteScale }: PairScales): string {
  const { quantity, cost, realised, baseFees, quoteFees, trades } = position;
  return [
    amountText(quantity, baseScale),
    amountText(cost, quoteScale),
    amountText(realised, quoteScale),
    amountText(baseFees, baseScale),
    amountText(quoteFees, quoteScale),
    trades,
  ].join();
}

const FIELDS = 6;

export function positionFrom(text: string, { baseScale, quoteScale }: PairScales): Position {
  const fields = text.split(",");
  assert(fields.length === FIELDS, "a stored position is complete");
  const [quantity = "", cost = "", realised = "", baseFees = "", quoteFees = "", trades = ""] = fields;
  return {
    quantity: stepsOf(quantity, baseScale),
    cost: stepsOf(cost, quoteScale),
    realised: stepsOf(realised, quoteScale),
    baseFees: stepsOf(baseFees, baseScale),
    quoteFees: stepsOf(quoteFees, quoteScale),
    trades: Number(trades),
  };
}
