import { formatMoney, type Money } from "../../../shared/money.ts";
import { toJalali } from "../calendar/jalali.ts";
import { dueTimes, type Schedule } from "../calendar/schedule.ts";
import { clockText, DAY_MS, MINUTE_MS, tehranTime } from "../calendar/tehran-time.ts";
import { type Decimal, divideRounded } from "../providers/read-decimal.ts";
import type { AcceptedPrice } from "./judge-prices.ts";

/** The rows that an accepted price becomes: the latest price, today's course, and the bar of its ten minutes. Pure. */
export type NextRows = { readonly current: object; readonly intraday: object; readonly bar: object };

export type ItemState = {
  /** Steps, or null before the first price. */
  readonly dayOpen: bigint | null;
  readonly dayHigh: bigint | null;
  readonly dayLow: bigint | null;
  readonly dayPoints: readonly DataPoint[];
  readonly pointsBefore: readonly DataPoint[];
  /** The last close before today. */
  readonly closeBefore: bigint | null;
};

export type DataPoint = { readonly time: string; readonly price: string };

export type FetchFacts = {
  readonly provider: string;
  readonly isDemo: boolean;
  readonly schedule: Schedule;
  readonly nowMs: number;
  readonly fetchMs: number;
  readonly freshUntilMs: number;
};

const SLOT_MS = 10 * MINUTE_MS;
const SLOT_MINUTES = 10;
/** One for each ten minutes of a day. */
const DATA_POINTS_MAX = 144;

export function nextRows(price: AcceptedPrice, state: ItemState, facts: FetchFacts): NextRows {
  const { item, steps } = price;
  const { nowMs } = facts;
  const { date, minuteOfDay } = tehranTime(nowMs);
  const text = (amount: bigint) => formatMoney(amount as Money, item.decimals);
  const slot = clockText(minuteOfDay - (minuteOfDay % SLOT_MINUTES));
  const points = [...state.dayPoints.filter(({ time }) => time !== slot), { time: slot, price: text(steps) }]
    .toSorted((a, b) => (a.time < b.time ? -1 : 1))
    .slice(-DATA_POINTS_MAX);
  const openedAtMs = Math.floor(nowMs / SLOT_MS) * SLOT_MS;
  const source = facts.isDemo ? "calculated" : "api";
  return {
    current: currentRow(price, state, { ...facts, slot }),
    intraday: {
      itemCode: item.itemCode,
      date,
      dateJalali: toJalali(date),
      open: text(state.dayOpen ?? steps),
      high: text(largest(steps, state.dayHigh)),
      low: text(smallest(steps, state.dayLow)),
      close: text(steps),
      points,
      nowMs,
    },
    bar: {
      itemCode: item.itemCode,
      itemType: item.itemType,
      openedAtMs,
      date,
      price: text(steps),
      expected: Math.max(1, dueTimes(facts.schedule, openedAtMs - 1, openedAtMs + SLOT_MS - 1).length),
      source,
      nowMs,
    },
  };
}

function currentRow(price: AcceptedPrice, state: ItemState, facts: FetchFacts & { readonly slot: string }): object {
  const { item, steps, key } = price;
  const text = (amount: bigint) => formatMoney(amount as Money, item.decimals);
  const recent = recentPrices(state, facts.slot).map((written) => stepsOf(written, item.decimals));
  const change = changeOf(price, state.closeBefore);
  return {
    itemCode: item.itemCode,
    itemType: item.itemType,
    price: text(steps),
    change: change === undefined ? null : text(change.amount),
    changePercent: change === undefined ? null : percentText(change.basisPoints),
    providerChangePercent: price.changeBasisPoints === undefined ? null : percentText(price.changeBasisPoints),
    high: text(recent.reduce((high, one) => largest(high, one), largest(steps, price.high ?? null))),
    low: text(recent.reduce((low, one) => smallest(low, one), smallest(steps, price.low ?? null))),
    volume: price.volume === undefined ? null : decimalText(price.volume),
    marketCap: price.marketCap === undefined ? null : decimalText(price.marketCap),
    nowMs: facts.nowMs,
    source: facts.isDemo ? "fallback" : "api",
    freshUntilMs: facts.freshUntilMs,
    provider: facts.provider,
    metadata: {
      apiTimestamp: price.atMs === undefined || price.atMs > facts.nowMs + DAY_MS ? null : price.atMs,
      fetchDuration: facts.fetchMs,
      category: item.metadata.category,
      originalKey: key,
    },
  };
}

/** Of the last 24 hours: all of today's, and yesterday's from this time on. */
function recentPrices({ dayPoints, pointsBefore }: ItemState, slot: string): readonly string[] {
  return [...dayPoints, ...pointsBefore.filter(({ time }) => time > slot)].map(({ price }) => price);
}

type Change = { readonly amount: bigint; readonly basisPoints: bigint };

/**
 * Against the last close before today. Before there is one, from the percentage that the provider states: the amount
 * follows from it, so that the two agree.
 */
function changeOf({ steps, changeBasisPoints }: AcceptedPrice, closeBefore: bigint | null): Change | undefined {
  if (closeBefore !== null) {
    const amount = steps - closeBefore;
    return { amount, basisPoints: divideRounded(amount * BASIS_POINTS, closeBefore) };
  }
  if (changeBasisPoints === undefined || changeBasisPoints <= -BASIS_POINTS) return undefined;
  const amount = divideRounded(steps * changeBasisPoints, BASIS_POINTS + changeBasisPoints);
  return { amount, basisPoints: changeBasisPoints };
}

const BASIS_POINTS = 10_000n;

export function percentText(basisPoints: bigint): string {
  return formatMoney(basisPoints as Money, 2);
}

/** Half a basis point is rounded away from zero. */
export function basisPointsOf(amount: bigint, of: bigint): bigint {
  return divideRounded(amount * BASIS_POINTS, of);
}

/** Volumes are shown, not computed with: more than this is noise. */
const DECIMALS_SHOWN = 8;

function decimalText({ digits, scale }: Decimal): string {
  const shown = Math.min(scale, DECIMALS_SHOWN);
  return formatMoney(divideRounded(digits, 10n ** BigInt(scale - shown)) as Money, shown);
}

/** The steps of a text that the database holds; finer decimals of an earlier setting are rounded. */
export function stepsOf(text: string, decimals: number): bigint {
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const digits = BigInt(whole + fraction);
  const steps = divideRounded(digits * 10n ** BigInt(decimals), 10n ** BigInt(fraction.length));
  return text.startsWith("-") ? -steps : steps;
}

function largest(one: bigint, other: bigint | null): bigint {
  return other !== null && other > one ? other : one;
}

function smallest(one: bigint, other: bigint | null): bigint {
  return other !== null && other < one ? other : one;
}
