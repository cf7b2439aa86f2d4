import { assert } from "../../shared/assert.ts";
import { formatMoney, type Money, parseMoney } from "../../shared/money.ts";

/** What a market maker wants to have in the book of one pair: so many orders on each side of a price in the middle. */
export type QuotedPair = {
  readonly pair: string;
  readonly tickSize: string;
  readonly lotSize: string;
  /** About what one order should be worth, in the quote currency. */
  readonly value: number;
};

export type Quote = {
  readonly pair: string;
  readonly side: "buy" | "sell";
  readonly type: "limit";
  readonly price: string;
  readonly quantity: string;
  readonly postOnly: true;
};

const LEVELS = 5;
/** From the middle to the best price, and from one level to the next. */
const HALF_SPREAD = 0.000_5;
const LEVEL_STEP = 0.000_4;

export function quotesOf(quoted: QuotedPair, middle: number, random: () => number): readonly Quote[] {
  return Array.from({ length: LEVELS }, (_, level) => {
    const away = HALF_SPREAD + level * LEVEL_STEP;
    const value = quoted.value * (0.5 + random());
    const quantity = onGrid(value / middle, quoted.lotSize);
    const common = { pair: quoted.pair, type: "limit", quantity, postOnly: true } as const;
    return [
      { ...common, side: "buy", price: onGrid(middle * (1 - away), quoted.tickSize) } as const,
      { ...common, side: "sell", price: onGrid(middle * (1 + away), quoted.tickSize) } as const,
    ];
  }).flat();
}

/** How far one step may go, and how strongly the price is drawn back to where it began. */
const STEP = 0.001;
const PULL = 0.02;

/** A walk that does not walk away. */
export function nextMiddle({
  middle,
  start,
  random,
}: {
  readonly middle: number;
  readonly start: number;
  readonly random: () => number;
}): number {
  return middle * (1 + (random() - 0.5) * 2 * STEP) + (start - middle) * PULL;
}

const GRID_SCALE = 8;

/** The nearest multiple below, and one step at least. These are somebody's wishes, not money: floats may make them. */
function onGrid(wish: number, step: string): string {
  const parsed = parseMoney(step, GRID_SCALE);
  assert(parsed.ok, "a step of the venue is a decimal");
  const steps = BigInt(Math.floor(wish * 10 ** GRID_SCALE)) / parsed.value;
  return formatMoney(((steps < 1n ? 1n : steps) * parsed.value) as Money, GRID_SCALE);
}
