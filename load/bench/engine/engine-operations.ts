import { seededRandom } from "../../../kit/random.ts";
import { createOpenOrders } from "./engine-open-orders.ts";

/** One operation on a book, in a form that every book supports. */
export type Operation =
  | { readonly kind: "limit"; readonly side: "buy" | "sell"; readonly ticks: number; readonly lots: number }
  | { readonly kind: "market"; readonly side: "buy" | "sell"; readonly lots: number }
  /** `of` is the place of the order in the list. It may be filled already. */
  | { readonly kind: "cancel"; readonly of: number };

/** `before` fills the book, then `measured` is timed. */
export type OperationFile = { readonly before: readonly Operation[]; readonly measured: readonly Operation[] };

export type Mix = { readonly name: string; readonly rangeTicks: number };

/** Distance of prices from the middle: a hundred levels, ten thousand, or a few with long queues. */
export const MIXES: readonly Mix[] = [
  { name: "tight", rangeTicks: 50 },
  { name: "wide", rangeTicks: 5_000 },
  { name: "deep", rangeTicks: 3 },
];

const MID_TICKS = 1_000_000;
const LOTS_MAX = 100;
/** How far prices cross the middle: about a sixth of the orders trade at once. */
const BEYOND_MIDDLE = 0.2;

/**
 * A book of `standing` orders, then 55 % limit orders, 10 % market orders and 35 % cancels of open orders. Which orders
 * are open follows from price and time only, so the same file fits every book.
 */
export function mixedOperations(
  { rangeTicks }: Mix,
  { standing, count }: { readonly standing: number; readonly count: number },
): OperationFile {
  const random = seededRandom(rangeTicks);
  const operations: Operation[] = [];
  const open = createOpenOrders({ midTicks: MID_TICKS, rangeTicks });

  function limit(closestTicks: number): void {
    const side = random.pick(["buy", "sell"] as const);
    const distance = random.between(closestTicks, rangeTicks);
    const ticks = MID_TICKS + (side === "buy" ? -distance : distance);
    const lots = random.between(1, LOTS_MAX);
    const left = open.trade({ side, ticks, lots });
    if (left > 0) open.add({ place: operations.length, side, ticks, lots: left });
    operations.push({ kind: "limit", side, ticks, lots });
  }

  function market(): void {
    const side = random.pick(["buy", "sell"] as const);
    const lots = random.between(1, LOTS_MAX);
    open.trade({ side, ticks: side === "buy" ? MID_TICKS + rangeTicks : MID_TICKS - rangeTicks, lots });
    operations.push({ kind: "market", side, lots });
  }

  while (operations.length < standing) limit(1);
  while (operations.length < standing + count) {
    const dice = random.next();
    const cancelled = dice < 0.35 ? open.takeAny(random) : undefined;
    if (cancelled !== undefined) operations.push({ kind: "cancel", of: cancelled });
    else if (dice < 0.45) market();
    else limit(-Math.round(rangeTicks * BEYOND_MIDDLE));
  }
  return { before: operations.slice(0, standing), measured: operations.slice(standing) };
}

/** Sell orders at rising prices, and one buy order larger than all of them. */
export function sweepOperations({ standing }: { readonly standing: number }): OperationFile {
  const before: Operation[] = Array.from({ length: standing }, (_, index) => ({
    kind: "limit",
    side: "sell",
    ticks: MID_TICKS + index,
    lots: 1,
  }));
  return { before, measured: [{ kind: "market", side: "buy", lots: standing * 2 }] };
}

/** All at one price, then cancelled in random order. */
export function oneLevelOperations({
  standing,
  cancels,
}: {
  readonly standing: number;
  readonly cancels: number;
}): OperationFile {
  const random = seededRandom(standing);
  const before: Operation[] = Array.from({ length: standing }, () => ({
    kind: "limit",
    side: "sell",
    ticks: MID_TICKS,
    lots: 1,
  }));
  const places = before.map((_, index) => index);
  const measured: Operation[] = Array.from({ length: cancels }, () => {
    const index = random.between(0, places.length - 1);
    const [place = 0] = places.splice(index, 1);
    return { kind: "cancel", of: place };
  });
  return { before, measured };
}
