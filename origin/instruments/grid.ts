import { assert } from "../../shared/assert.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { PairRow } from "../engine/changes.ts";
import { amountText, multipleText, readAmount, stepsOf, TOO_LARGE } from "./amounts.ts";

/**
 * The ticks and lots of a pair, and the only converter between them and decimal text: `priceText` and `quantityText`
 * write, `ticksOf` and `lotsOf` read what the venue wrote, `readTicks` and `readLots` read what a client sent. A price
 * between two ticks or a quantity between two lots is refused, never rounded.
 */
export type Grid = {
  readonly pair: string;
  /** Changes with the tick or the lot. */
  readonly grid: number;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  readonly baseScale: number;
  readonly quoteScale: number;
  /** In steps of the quote currency. */
  readonly tickSteps: bigint;
  /** In steps of the base currency. */
  readonly lotSteps: bigint;
};

/** A pair's current terms with the decimals of both currencies. */
export type KnownPair = PairRow & Grid;

export function priceText(ticks: number, { tickSteps, quoteScale }: Grid): string {
  return multipleText(ticks, tickSteps, quoteScale);
}

/** `bigint` for the sum of many orders. */
export function quantityText(lots: number | bigint, { lotSteps, baseScale }: Grid): string {
  return typeof lots === "number" ? multipleText(lots, lotSteps, baseScale) : amountText(lots * lotSteps, baseScale);
}

export function ticksOf(price: string, grid: Grid): number {
  return storedCount(price, tickOf(grid));
}

export function lotsOf(quantity: string, grid: Grid): number {
  return storedCount(quantity, lotOf(grid));
}

/** More than 0, or the rule that the text breaks. */
export function readTicks(text: unknown, grid: Grid): Result<number, string> {
  return readCount(text, tickOf(grid));
}

/** More than 0, or the rule that the text breaks. */
export function readLots(text: unknown, grid: Grid): Result<number, string> {
  return readCount(text, lotOf(grid));
}

type Trade = { readonly ticks: number; readonly lots: number };

/**
 * Price times quantity in steps of the quote currency. Exact: the engine refuses pairs where one tick times one lot is
 * no whole step.
 */
export function valueSteps({ ticks, lots }: Trade, { tickSteps, lotSteps, baseScale }: Grid): bigint {
  return (BigInt(ticks) * tickSteps * BigInt(lots) * lotSteps) / 10n ** BigInt(baseScale);
}

type Filled = { readonly valueSteps: bigint; readonly quantitySteps: bigint };

/** Value by quantity, rounded down to a step of the quote currency; null where nothing is filled. */
export function averagePriceText(filled: Filled, { baseScale, quoteScale }: Grid): string | null {
  if (filled.quantitySteps === 0n) return null;
  return amountText((filled.valueSteps * 10n ** BigInt(baseScale)) / filled.quantitySteps, quoteScale);
}

type Side = "buy" | "sell";

/** Each side pays its fee in the currency that it receives. */
export function feeCurrencyOf(side: Side, { baseCurrency, quoteCurrency }: Grid): string {
  return side === "buy" ? baseCurrency : quoteCurrency;
}

export function feeScaleOf(side: Side, { baseScale, quoteScale }: Grid): number {
  return side === "buy" ? baseScale : quoteScale;
}

type Unit = { readonly name: "tick" | "lot"; readonly steps: bigint; readonly scale: number };

const tickOf = ({ tickSteps, quoteScale }: Grid): Unit => ({ name: "tick", steps: tickSteps, scale: quoteScale });
const lotOf = ({ lotSteps, baseScale }: Grid): Unit => ({ name: "lot", steps: lotSteps, scale: baseScale });

function storedCount(text: string, { name, steps, scale }: Unit): number {
  const count = wholeCount(stepsOf(text, scale), steps);
  assert(count.ok, `a stored amount is a whole number of ${name}s`);
  return count.value;
}

function readCount(text: unknown, { name, steps, scale }: Unit): Result<number, string> {
  const rule = () => `must be a multiple of the ${name}, ${amountText(steps, scale)}`;
  const amount = readAmount(text, scale, rule);
  if (!amount.ok) return amount;
  const count = wholeCount(amount.value, steps);
  if (count.ok) return count;
  return fail(count.reason === "off_grid" ? rule() : TOO_LARGE);
}

function wholeCount(amount: bigint, unit: bigint): Result<number, "off_grid" | "too_large"> {
  if (amount % unit !== 0n) return fail("off_grid");
  const count = amount / unit;
  return count > BigInt(Number.MAX_SAFE_INTEGER) ? fail("too_large") : ok(Number(count));
}
