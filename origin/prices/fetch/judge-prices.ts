import { assert } from "../../../shared/assert.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { TrackedItem } from "../items/item.ts";
import type { ProviderDescription } from "../providers/describe-provider.ts";
import { keyOfItem } from "../providers/fetch-quotes.ts";
import type { Quote } from "../providers/read-answer.ts";
import { type Decimal, type NumberFault, type Ratio, readDecimal, stepsOfDecimal } from "../providers/read-decimal.ts";

/**
 * Decides which of a provider's values become prices. Zero, empty, unreadable and absurd values are refused: the item
 * keeps its last price. Amounts become whole steps of the item's decimals, straight from their text.
 */
export type AcceptedPrice = {
  readonly item: TrackedItem;
  readonly key: string;
  readonly steps: bigint;
  readonly high: bigint | undefined;
  readonly low: bigint | undefined;
  /** In hundredths of a percent. */
  readonly changeBasisPoints: bigint | undefined;
  readonly volume: Decimal | undefined;
  readonly marketCap: Decimal | undefined;
  readonly atMs: number | undefined;
};

export type RefusedPrice = { readonly item: TrackedItem; readonly reason: PriceFault; readonly text: string };

export type PriceFault =
  | NumberFault
  | "missing"
  | "zero"
  | "negative"
  | "too_large"
  | "unit_unknown"
  | "repeated"
  | "jump";

export type Judgement = { readonly accepted: readonly AcceptedPrice[]; readonly refused: readonly RefusedPrice[] };

type Case = {
  readonly items: readonly TrackedItem[];
  readonly quotes: readonly Quote[];
  readonly description: ProviderDescription;
  /** The last price in steps. */
  readonly lastOf: (itemCode: string) => bigint | undefined;
  readonly acceptsJumps: boolean;
};

/** Far beyond any price in any currency; NUMERIC and the board's columns hold it. */
const STEPS_MAX = 10n ** 30n;
const TEXT_CHARS_MAX = 40;
const BASIS_POINT_DECIMALS = 2;

export function judgePrices({ items, quotes, description, lastOf, acceptsJumps }: Case): Judgement {
  const byKey = new Map<string, Quote[]>();
  for (const quote of quotes) byKey.set(quote.key, [...(byKey.get(quote.key) ?? []), quote]);
  const thousands = description.kind === "http" ? description.thousands : [];
  const accepted: AcceptedPrice[] = [];
  const refused: RefusedPrice[] = [];
  for (const item of items) {
    const key = keyOfItem(item, description);
    const found = key === undefined ? [] : (byKey.get(key) ?? []);
    const judged = judge(item, found, thousands);
    const last = lastOf(item.itemCode);
    if (!judged.ok)
      refused.push({ item, reason: judged.reason, text: (found[0]?.price ?? "").slice(0, TEXT_CHARS_MAX) });
    else if (!acceptsJumps && last !== undefined && isJump(judged.value.steps, last, item.jumpPercentMax))
      refused.push({ item, reason: "jump", text: (found[0]?.price ?? "").slice(0, TEXT_CHARS_MAX) });
    else accepted.push(judged.value);
  }
  return { accepted, refused };
}

function judge(
  item: TrackedItem,
  found: readonly Quote[],
  thousands: readonly string[],
): Result<AcceptedPrice, PriceFault> {
  const [quote] = found;
  if (quote === undefined) return fail("missing");
  // Two rows of one key with different prices: it is not clear which is meant.
  if (found.some(({ price, unit }) => price !== quote.price || unit !== quote.unit)) return fail("repeated");
  const factor = factorOf(quote.unit, item);
  if (factor === undefined) return fail("unit_unknown");
  const number = readDecimal(quote.price, thousands);
  if (!number.ok) return number;
  const steps = stepsOfDecimal(number.value, factor, item.decimals);
  if (number.value.digits < 0n) return fail("negative");
  if (steps === 0n) return fail("zero");
  if (steps > STEPS_MAX) return fail("too_large");

  const optional = (text: string | undefined) => {
    const read = text === undefined ? undefined : readDecimal(text, thousands);
    return read?.ok ? read.value : undefined;
  };
  const bound = (text: string | undefined, isRight: (bound: bigint) => boolean) => {
    const read = optional(text);
    const value = read === undefined ? undefined : stepsOfDecimal(read, factor, item.decimals);
    return value !== undefined && value > 0n && isRight(value) ? value : undefined;
  };
  const change = optional(quote.changePercent);
  return ok({
    item,
    key: quote.key,
    steps,
    // A provider's high below its own price is a mistake of the provider's.
    high: bound(quote.high, (high) => high >= steps),
    low: bound(quote.low, (low) => low <= steps),
    changeBasisPoints: change === undefined ? undefined : stepsOfDecimal(change, ONE, BASIS_POINT_DECIMALS),
    volume: optional(quote.volume),
    marketCap: optional(quote.marketCap),
    atMs: quote.atMs,
  });
}

const ONE: Ratio = { numerator: 1n, denominator: 1n };
const RIALS_PER_TOMAN = 10n;

/** From the provider's unit to the item's, and the item's own multiplier. Undefined where nothing converts them. */
function factorOf(unit: string | undefined, item: TrackedItem): Ratio | undefined {
  const multiplier = readDecimal(item.metadata.multiplier, []);
  assert(multiplier.ok, "the database holds only decimal multipliers");
  const { digits, scale } = multiplier.value;
  const [numerator, denominator] = [digits, 10n ** BigInt(scale)];
  if (unit === item.unit) return { numerator, denominator };
  if (unit === "toman" && item.unit === "rial") return { numerator: numerator * RIALS_PER_TOMAN, denominator };
  if (unit === "rial" && item.unit === "toman") return { numerator, denominator: denominator * RIALS_PER_TOMAN };
  return undefined;
}

function isJump(steps: bigint, last: bigint, percentMax: number): boolean {
  const difference = steps > last ? steps - last : last - steps;
  return difference * 100n > last * BigInt(percentMax);
}
