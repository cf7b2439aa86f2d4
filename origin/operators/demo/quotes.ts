import { amountText, stepsOf } from "../../instruments/amounts.ts";

/** The quotes of one pair: a number of orders on each side of a middle price. */
export type QuotedPair = {
  readonly pair: string;
  readonly tickSize: string;
  readonly lotSize: string;
  /** The approximate value of one order, in the quote currency. */
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

/** The largest step, and how strongly the price returns to where it began. */
const STEP = 0.001;
const PULL = 0.02;

/** A random walk that returns to its start. */
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

/** The nearest multiple below, at least one step. Quotes are not money, so floats are fine here. */
function onGrid(wish: number, step: string): string {
  const unit = stepsOf(step, GRID_SCALE);
  const count = BigInt(Math.floor(wish * 10 ** GRID_SCALE)) / unit;
  return amountText((count < 1n ? 1n : count) * unit, GRID_SCALE);
}
