import { parseMoney } from "../../shared/money.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { PairRow } from "../engine/changes.ts";
import { decimal } from "../projections/decimal.ts";

/** A pair as the api knows it: its row, with the decimals of both currencies. */
export type KnownPair = PairRow & { readonly baseScale: number; readonly quoteScale: number };

/** What people write is decimal, what the engine counts is whole ticks and lots. A number that falls between two of them is refused, never rounded. */
export function ticksOf(text: unknown, pair: KnownPair): Result<number, string> {
  return stepsOf(text, { scale: pair.quoteScale, step: pair.tickSteps, stepName: "tick" });
}

export function lotsOf(text: unknown, pair: KnownPair): Result<number, string> {
  return stepsOf(text, { scale: pair.baseScale, step: pair.lotSteps, stepName: "lot" });
}

export function priceText(ticks: number, pair: KnownPair): string {
  return amountText(BigInt(ticks) * pair.tickSteps, pair.quoteScale);
}

export function quantityText(lots: number, pair: KnownPair): string {
  return amountText(BigInt(lots) * pair.lotSteps, pair.baseScale);
}

export function amountText(steps: bigint, scale: number): string {
  return decimal(steps, scale);
}

/** More than nothing, in a currency's smallest steps. */
export function amountOf(text: unknown, scale: number): Result<bigint, string> {
  const decimals = `must have at most ${scale} decimals`;
  if (typeof text !== "string") return fail(NOT_A_STRING);
  const parsed = parseMoney(text, scale);
  if (parsed.ok) return parsed.value > 0n ? ok(parsed.value) : fail(NOT_POSITIVE);
  return fail(parsed.reason === "too_many_decimals" ? decimals : SENTENCES[parsed.reason]);
}

/** `BTC/IDR`, as people write it. */
export function pairName({ baseCurrency, quoteCurrency }: Pick<PairRow, "baseCurrency" | "quoteCurrency">): string {
  return `${baseCurrency}/${quoteCurrency}`.toUpperCase();
}

const PPM_SCALE = 6;

/** Parts per million as a decimal: `0.001` is 1,000 of them. */
export function rateText(ppm: number): string {
  return amountText(BigInt(ppm), PPM_SCALE);
}

export function rateOf(text: string): Result<number, string> {
  const parsed = parseMoney(text, PPM_SCALE);
  if (!parsed.ok || parsed.value < 0n || parsed.value > BigInt(10 ** PPM_SCALE)) {
    return fail(`must be a decimal from 0 to 1 with at most ${PPM_SCALE} decimals`);
  }
  return ok(Number(parsed.value));
}

const NOT_A_STRING = 'must be a decimal number in a string, as in "0.25"';
const NOT_POSITIVE = "must be more than 0";
const SENTENCES = {
  not_a_decimal: "must be a plain decimal number: digits 0 to 9 and at most one point, without sign, exponent or spaces",
  too_large: "is larger than can be traded",
} as const;

type Steps = { readonly scale: number; readonly step: bigint; readonly stepName: "tick" | "lot" };

function stepsOf(text: unknown, { scale, step, stepName }: Steps): Result<number, string> {
  const rule = () => `must be a multiple of the ${stepName}, ${amountText(step, scale)}`;
  if (typeof text !== "string") return fail(NOT_A_STRING);
  const parsed = parseMoney(text, scale);
  if (!parsed.ok) return fail(parsed.reason === "too_many_decimals" ? rule() : SENTENCES[parsed.reason]);
  if (parsed.value <= 0n) return fail(NOT_POSITIVE);
  if (parsed.value % step !== 0n) return fail(rule());
  const count = parsed.value / step;
  return count > BigInt(Number.MAX_SAFE_INTEGER) ? fail(SENTENCES.too_large) : ok(Number(count));
}
