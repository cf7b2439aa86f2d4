import { firstOrder, nextOrder, oppositeOf } from "./book.ts";
import { lotsFor, valueAt } from "./exact.ts";
import { LOTS_MAX } from "./limits.ts";
import { BUY, NONE, type OrderSlab, remainingLots } from "./order-slab.ts";
import type { Pair } from "./pairs.ts";
import type { SelfTrade } from "./terms.ts";

/** An order on its way through the opposite side of the book: the rules that a preview and the trades themselves go by. */
export type Sweep = {
  readonly pair: Pair;
  readonly side: number;
  readonly userIndex: number;
  readonly selfTrade: SelfTrade;
  /** The worst price that it may trade at. */
  readonly limitTicks: number;
  /** `LOTS_MAX` for an order by quote amount. */
  readonly lots: number;
  /** 0 for an order by lots. */
  readonly quoteAmount: bigint;
  readonly fillsMax: number;
};

/**
 * Why a sweep ended: empty when the order has all it wanted, `book` when there is nobody left, `limit` when the next price is too
 * bad, `fundsSpent` when what is left of its quote amount is less than one lot.
 */
export type Stop = "" | "book" | "limit" | "selfTrade" | "tooManyFills" | "fundsSpent";

export type Preview = { readonly lots: number; readonly value: bigint; readonly stop: Stop };

/** What would happen, without anything happening. */
export function previewSweep(orders: OrderSlab, sweep: Sweep): Preview {
  const ladder = oppositeOf(sweep.pair.book, sweep.side);
  let lots = 0;
  let value = 0n;
  let maker = firstOrder(ladder);
  for (let met = 0; ; met++) {
    const stop = stopBefore(orders, sweep, { maker, met, lots, value });
    if (stop !== "go") return { lots, value, stop };
    if (isOwn(orders, sweep, maker)) {
      if (sweep.selfTrade === "cancelBoth") return { lots, value, stop: "selfTrade" };
    } else {
      const taken = lotsToTake(orders, sweep, { maker, lots, value });
      lots += taken;
      value += valueAt(sweep.pair, { ticks: orders.ticks[maker] as number, lots: taken });
      if (taken < remainingLots(orders, maker)) return { lots, value, stop: stopWithin(sweep, { lots, value }) };
    }
    maker = nextOrder(ladder, { orders, slot: maker });
  }
}

type Taken = { readonly lots: number; readonly value: bigint };

/** Who is met next, how many were met before, and what was taken from them. */
export type Progress = Taken & { readonly maker: number; readonly met: number };

export function stopBefore(orders: OrderSlab, sweep: Sweep, { maker, met, lots, value }: Progress): Stop | "go" {
  if (isComplete(sweep, { lots, value })) return "";
  if (maker === NONE) return "book";
  if (isBeyond(sweep, orders.ticks[maker] as number)) return "limit";
  if (met === sweep.fillsMax) return "tooManyFills";
  return sweep.selfTrade === "cancelNewest" && isOwn(orders, sweep, maker) ? "selfTrade" : "go";
}

/** The order has left something of the other: it has all it wanted, or it cannot pay for one lot more. */
export function stopWithin(sweep: Sweep, taken: Taken): Stop {
  return isComplete(sweep, taken) ? "" : "fundsSpent";
}

function isComplete(sweep: Sweep, { lots, value }: Taken): boolean {
  return lots === sweep.lots || (sweep.quoteAmount !== 0n && value === sweep.quoteAmount);
}

export function isBeyond({ side, limitTicks }: Pick<Sweep, "side" | "limitTicks">, ticks: number): boolean {
  return side === BUY ? ticks > limitTicks : ticks < limitTicks;
}

export function isOwn(orders: OrderSlab, { userIndex }: Sweep, maker: number): boolean {
  return orders.user[maker] === userIndex;
}

/** Whole lots, as many as both have; by quote amount, as many as the rest of it is worth at this price. */
export function lotsToTake(orders: OrderSlab, sweep: Sweep, { maker, lots, value }: Omit<Progress, "met">): number {
  const most = Math.min(remainingLots(orders, maker), sweep.lots - lots);
  if (sweep.quoteAmount === 0n) return most;
  const affordable = lotsFor(sweep.pair, { amount: sweep.quoteAmount - value, ticks: orders.ticks[maker] as number });
  return affordable < BigInt(most) ? Number(affordable) : most;
}

export const lotsWanted = (lots: number): number => (lots === 0 ? LOTS_MAX : lots);
