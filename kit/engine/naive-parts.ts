import type { RejectCode, Rejected } from "../../origin/engine/outcome.ts";
import type { NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

/** The bound of every count. */
export const MOST = 4_611_686_018_427_387_904n;
export const PRICE_MOST = 2_147_483_647;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function no(code: RejectCode): Rejected {
  return { kind: "rejected", code };
}

export function isOpen({ status }: NaiveOrder): boolean {
  return status === "open" || status === "partiallyFilled";
}

export function balance(venue: NaiveVenue, user: string, currency: string) {
  const found = venue.balances.find((row) => row.user === user && row.currency === currency);
  if (found !== undefined) return found;
  const row = { user, currency, available: 0n, frozen: 0n };
  venue.balances.push(row);
  if (!venue.users.some(({ name }) => name === user)) venue.users.push({ name: user, isFrozen: false });
  return row;
}

export function available(venue: NaiveVenue, user: string, currency: string): bigint {
  return venue.balances.find((row) => row.user === user && row.currency === currency)?.available ?? 0n;
}

/** Price by quantity: the price is for one whole unit of the base currency, which has so many steps. */
export function worth(
  venue: NaiveVenue,
  { terms }: NaivePair,
  { ticks, lots }: { ticks: number; lots: number },
): bigint {
  const scale = venue.currencies.find(({ name }) => name === terms.baseCurrency)?.scale ?? 0;
  const price = BigInt(ticks) * terms.tickSteps;
  const quantity = BigInt(lots) * terms.lotSteps;
  return (price * quantity) / 10n ** BigInt(scale);
}

export function quantity({ terms }: NaivePair, lots: number): bigint {
  return BigInt(lots) * terms.lotSteps;
}

export function fee(amount: bigint, ppm: number): bigint {
  const exact = amount * BigInt(ppm);
  return exact % 1_000_000n === 0n ? exact / 1_000_000n : exact / 1_000_000n + 1n;
}

/** The amount that backs an open order. */
export function backing(venue: NaiveVenue, order: NaiveOrder) {
  const pair = pairNamed(venue, order.pair);
  const lots = order.lots - order.filledLots;
  return order.side === "buy"
    ? { currency: pair.terms.quoteCurrency, amount: worth(venue, pair, { ticks: order.ticks, lots }) }
    : { currency: pair.terms.baseCurrency, amount: quantity(pair, lots) };
}

function pairNamed(venue: NaiveVenue, name: string): NaivePair {
  const pair = venue.pairs.find(({ terms }) => terms.pair === name);
  if (pair === undefined) throw new Error(`no pair ${name}`);
  return pair;
}

export function cancelOne(venue: NaiveVenue, order: NaiveOrder, reason: NaiveOrder["cancelReason"]): void {
  const { currency, amount } = backing(venue, order);
  const row = balance(venue, order.user, currency);
  row.frozen -= amount;
  row.available += amount;
  order.status = "cancelled";
  order.cancelReason = reason;
  order.updatedAt = venue.at;
}

/** The reference of this name in the last 24 hours. */
export function said(venue: NaiveVenue, { kind, user, name }: { kind: string; user: string; name: string }) {
  const isIt = (one: NaiveVenue["names"][number]) => one.kind === kind && one.user === user && one.name === name;
  return venue.names.find((one) => isIt(one) && venue.at - one.at < DAY_MS);
}

/** The user's, of whole hours that are not more than a day ago. */
export function hasUsedUpNames(venue: NaiveVenue, user: string): boolean {
  const oldest = Math.floor((venue.at - DAY_MS) / HOUR_MS);
  const counted = venue.names.filter((one) => one.user === user && Math.floor(one.at / HOUR_MS) >= oldest);
  return counted.length >= venue.bounds.namesPerUserMax;
}
