import { type Random, seededRandom } from "../../test/sim/random.ts";

/** What happens to a book, in words that every book understands: the same list is played to all of them. */
export type Operation =
  | { readonly kind: "limit"; readonly side: "buy" | "sell"; readonly ticks: number; readonly lots: number }
  | { readonly kind: "market"; readonly side: "buy" | "sell"; readonly lots: number }
  /** `of` is the place of the order in the list. It may be filled already. */
  | { readonly kind: "cancel"; readonly of: number };

export type Mix = { readonly name: string; readonly rangeTicks: number };

/** How far prices lie apart: a hundred levels or so, ten thousand, and a handful with long queues. */
export const MIXES: readonly Mix[] = [
  { name: "tight", rangeTicks: 50 },
  { name: "wide", rangeTicks: 5_000 },
  { name: "deep", rangeTicks: 3 },
];

const MID_TICKS = 1_000_000;
const LOTS_MAX = 100;
/** A sixth of the orders is priced beyond the middle and trades at once, more or less. */
const BEYOND_MIDDLE = 0.2;

/** 55 % limit orders, 10 % market orders, 35 % cancels. */
export function mixedOperations({ rangeTicks }: Mix, count: number): readonly Operation[] {
  const random = seededRandom(rangeTicks);
  const operations: Operation[] = [];
  /** Limit orders that were not cancelled yet. */
  const standing: number[] = [];
  while (operations.length < count) {
    const dice = random.next();
    if (dice < 0.35 && standing.length > 0) {
      operations.push({ kind: "cancel", of: takeAny(random, standing) });
    } else if (dice < 0.45) {
      operations.push({ kind: "market", side: random.pick(["buy", "sell"]), lots: random.between(1, LOTS_MAX) });
    } else {
      standing.push(operations.length);
      operations.push(limitOrder(random, rangeTicks));
    }
  }
  return operations;
}

/** All on one price, then cancelled in no order. */
export function oneLevelOperations({ orders, cancels }: { readonly orders: number; readonly cancels: number }) {
  const random = seededRandom(orders);
  const placed: Operation[] = Array.from({ length: orders }, () => ({ kind: "limit", side: "sell", ticks: MID_TICKS, lots: 1 }));
  const standing = placed.map((_, index) => index);
  const cancelled: Operation[] = Array.from({ length: cancels }, () => ({ kind: "cancel", of: takeAny(random, standing) }));
  return { placed, cancelled };
}

function limitOrder(random: Random, rangeTicks: number): Operation {
  const side = random.pick(["buy", "sell"] as const);
  const distance = random.between(-Math.round(rangeTicks * BEYOND_MIDDLE), rangeTicks);
  return { kind: "limit", side, ticks: MID_TICKS + (side === "buy" ? -distance : distance), lots: random.between(1, LOTS_MAX) };
}

function takeAny(random: Random, standing: number[]): number {
  const place = random.between(0, standing.length - 1);
  const taken = standing[place] ?? 0;
  standing[place] = standing.at(-1) ?? 0;
  standing.pop();
  return taken;
}
