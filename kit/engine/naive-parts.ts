import type { OrderRow } from "../../origin/engine/changes.ts";
import type { RejectCode, Rejected } from "../../origin/engine/outcome.ts";
import type { NaiveList, NaiveOrder, NaivePair, NaiveVenue } from "./naive-venue.ts";

/** The bound of every count. */
export const MOST = 4_611_686_018_427_387_904n;
export const PRICE_MOST = 2_147_483_647;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function no(code: RejectCode): Rejected {
  return { kind: "rejected", code };
}

/** In the book. */
export function isOpen({ status }: NaiveOrder): boolean {
  return status === "open" || status === "partiallyFilled";
}

export function isAlive(order: NaiveOrder): boolean {
  return isOpen(order) || order.status === "pending";
}

export function copyOf(order: NaiveOrder): OrderRow {
  return order.conditions === undefined ? { ...order } : { ...order, conditions: { ...order.conditions } };
}

/** Its place among the orders of its price. */
export function turnOf({ id, conditions }: NaiveOrder): number {
  return conditions === undefined || conditions.priority === 0 ? id : conditions.priority;
}

export function listOf(venue: NaiveVenue, { conditions }: NaiveOrder): NaiveList | undefined {
  return conditions === undefined ? undefined : venue.lists.find(({ id }) => id === conditions.listId);
}

/** Whether its list keeps the funds for it and for the other one. */
export function isSharing(venue: NaiveVenue, order: NaiveOrder): boolean {
  const role = order.conditions?.role;
  return (role === "above" || role === "below") && (listOf(venue, order)?.reserved ?? 0n) > 0n;
}

export function balance(venue: NaiveVenue, user: string, currency: string) {
  const found = venue.balances.find((row) => row.user === user && row.currency === currency);
  if (found !== undefined) return found;
  const row = { user, currency, available: 0n, frozen: 0n };
  venue.balances.push(row);
  if (!venue.users.some(({ name }) => name === user)) venue.users.push({ name: user, isFrozen: false, cancelAt: 0 });
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

/** The amount that backs an order by itself, in the currency that it pays. */
export function backing(venue: NaiveVenue, order: NaiveOrder) {
  const { currency, amount } = need(venue, order);
  if (order.status === "pending") return { currency, amount: order.conditions?.reserved ?? 0n };
  return { currency, amount: isSharing(venue, order) ? 0n : amount };
}

/** The cost of the rest of an order at its own price. */
export function need(venue: NaiveVenue, order: NaiveOrder): { currency: string; amount: bigint } {
  const pair = pairNamed(venue, order.pair);
  const lots = order.lots - order.filledLots;
  return order.side === "buy"
    ? { currency: pair.terms.quoteCurrency, amount: worth(venue, pair, { ticks: order.ticks, lots }) }
    : { currency: pair.terms.baseCurrency, amount: quantity(pair, lots) };
}

/** From available to frozen; a negative amount goes back. */
export function freeze(venue: NaiveVenue, { user, currency, amount }: Frozen): void {
  const row = balance(venue, user, currency);
  row.available -= amount;
  row.frozen += amount;
}

type Frozen = { readonly user: string; readonly currency: string; readonly amount: bigint };

export function pairNamed(venue: NaiveVenue, name: string): NaivePair {
  const pair = venue.pairs.find(({ terms }) => terms.pair === name);
  if (pair === undefined) throw new Error(`no pair ${name}`);
  return pair;
}

/** This order only; `cancelWithList` (`naive-lists.ts`) knows what depends on it. */
export function cancelOne(venue: NaiveVenue, order: NaiveOrder, reason: NaiveOrder["cancelReason"]): void {
  const { currency, amount } = backing(venue, order);
  freeze(venue, { user: order.user, currency, amount: -amount });
  endAs(venue, order, { status: "cancelled", reason });
}

type Ending = { readonly status: NaiveOrder["status"]; readonly reason: NaiveOrder["cancelReason"] };

export function endAs(venue: NaiveVenue, order: NaiveOrder, { status, reason }: Ending): void {
  order.status = status;
  order.cancelReason = reason;
  order.updatedAt = venue.at;
  if (order.conditions === undefined) return;
  order.conditions.phase = "placed";
  order.conditions.reserved = 0n;
}

/** The reference of this name in the last 24 hours. */
export function said(venue: NaiveVenue, { kind, user, name }: { kind: string; user: string; name: string }) {
  const isIt = (one: NaiveVenue["names"][number]) => one.kind === kind && one.user === user && one.name === name;
  return venue.names.find((one) => isIt(one) && venue.at - one.at < DAY_MS);
}

/** The user's, of whole hours that are not more than a day ago. */
export function hasUsedUpNames(venue: NaiveVenue, user: string, wanted = 1): boolean {
  const oldest = Math.floor((venue.at - DAY_MS) / HOUR_MS);
  const counted = venue.names.filter((one) => one.user === user && Math.floor(one.at / HOUR_MS) >= oldest);
  return counted.length + wanted > venue.bounds.namesPerUserMax;
}
