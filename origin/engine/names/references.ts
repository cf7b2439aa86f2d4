import { assert } from "../../../shared/assert.ts";
import type { User } from "../accounts.ts";
import { findSlot, NONE, type OrderIndex } from "../book/order-slab.ts";
import type { ReferenceKind, ReferenceRow } from "../changes.ts";
import { formatHash, hashText } from "../hash.ts";
import { REMEMBERED_MS } from "../limits.ts";
import type { EngineState } from "../state.ts";
import { createNameFilter, mayHaveName, type NameFilter, putName } from "./name-filter.ts";

/**
 * The names that clients gave their orders and movements, for 24 hours: the same name with the same content is executed
 * once. Memory holds the newest; older ones are in the store and are fetched before a command that needs them is
 * applied. So memory decides how often the store is asked, never the outcome of a command.
 */
export type References = {
  /** Oldest first, from `swept` on. */
  queue: Reference[];
  swept: number;
  /** How many were ever put into the queue. */
  taken: number;
  /** The oldest hour that still counts, and until when it does. */
  firstHour: number;
  firstHourUntil: number;
  /** Every name that was given at this time or later is in memory. */
  completeFrom: number;
  /** Every name that was given at this time or later is in memory or in the filter. */
  filteredFrom: number;
  readonly filter: NameFilter;
  /** The store's answers about names that memory does not hold: the reference, or undefined for an unknown name. */
  readonly answers: Map<string, Reference | undefined>;
  /** How many references have left memory early. An answer that was asked for before the last one is out of date. */
  evicted: number;
};

export type Reference = {
  readonly kind: ReferenceKind;
  readonly user: User;
  readonly name: string;
  readonly digest: string;
  readonly orderId: number;
  readonly at: number;
  /** It is in the queue: it stays until it is evicted or its time is over. */
  isHeld: boolean;
};

/** The name that a command carries, of itself or of an order. */
export type CommandName = { readonly kind: ReferenceKind; readonly user: string; readonly name: string };

export const HOUR_MS = 60 * 60 * 1_000;
/** More than arrive, so that expired ones do not accumulate, and few enough to be cheap. */
const SWEPT_PER_NEW = 4;
const QUEUE_WASTE_MAX = 65_536;

/** The digest of a name that memory has from an open order only. */
export const NOT_KNOWN_YET = "";

export function createReferences(): References {
  return {
    ...{ queue: [], swept: 0, taken: 0, firstHour: 0, firstHourUntil: 0 },
    ...{ completeFrom: Number.NEGATIVE_INFINITY, filteredFrom: Number.NEGATIVE_INFINITY },
    ...{ filter: createNameFilter(), answers: new Map(), evicted: 0 },
  };
}

/** Called with the engine's time, before any lookup. */
export function forgetHours(references: References, at: number): void {
  if (at < references.firstHourUntil) return;
  references.firstHour = Math.floor((at - REMEMBERED_MS) / HOUR_MS);
  references.firstHourUntil = (references.firstHour + 1) * HOUR_MS + REMEMBERED_MS;
}

/** Whether a name of that time still counts towards the bound. */
export function isCounted({ firstHour }: References, at: number): boolean {
  return Math.floor(at / HOUR_MS) >= firstHour;
}

export function isRemembered(reference: Reference, at: number): boolean {
  return at - reference.at < REMEMBERED_MS;
}

/** The reference in memory, expired or not: an order that is open for longer than a day keeps its name. */
export function findReference(user: User, kind: ReferenceKind, name: string): Reference | undefined {
  return kind === "order" ? user.orderNames.get(name) : user.movementNames.get(`${kind}:${name}`);
}

/** The reference behind a user's name, from memory or from the store's answer. */
export function lookUp(references: References, { user, kind, name, at }: LookUp): Reference | undefined {
  const found = findReference(user, kind, name);
  if (found !== undefined && (found.digest !== NOT_KNOWN_YET || !isRemembered(found, at))) return found;
  const key = nameKey({ kind, user: user.name, name });
  const isAnswered = references.answers.has(key);
  assert(
    isAnswered || !isInStore(references, { key, at }),
    "the store is asked about a name before its command is applied",
  );
  return references.answers.get(key) ?? found;
}

type LookUp = { readonly user: User; readonly kind: ReferenceKind; readonly name: string; readonly at: number };

/** Whether memory holds every name that is remembered at this time. */
export function isComplete({ completeFrom }: References, at: number): boolean {
  return completeFrom <= at - REMEMBERED_MS + 1;
}

/** Whether the store may know a name that memory does not have, and that is remembered at this time. */
function isInStore(
  { completeFrom, filteredFrom, filter }: References,
  { key, at }: { readonly key: string; readonly at: number },
): boolean {
  const from = at - REMEMBERED_MS + 1;
  return completeFrom > from && (filteredFrom > from || mayHaveName(filter, key));
}

/**
 * Whether the store has to be asked before a command with this name is applied. Not for a name of the time from which
 * memory is complete: it stays until memory reaches back a day. An older one in memory belongs to an open order, which
 * may close in the same batch and take its name along.
 */
export function isUnanswered(
  references: References,
  { name, user, at }: { name: CommandName; user: User | undefined; at: number },
): boolean {
  const key = nameKey(name);
  if (references.answers.has(key) || !isInStore(references, { key, at })) return false;
  const found = user && findReference(user, name.kind, name.name);
  return !(found !== undefined && found.at >= references.completeFrom);
}

/** The store's answer. A name that has come into memory meanwhile takes precedence. */
export function takeAnswer(references: References, name: CommandName, answer: Reference | undefined): void {
  references.answers.set(nameKey(name), answer);
}

export function remember(references: References, reference: Reference, index: OrderIndex): void {
  references.queue.push(reference);
  references.taken++;
  nameIt(reference);
  if (references.answers.size > 0) references.answers.delete(keyOf(reference));
  for (let sweep = 0; sweep < SWEPT_PER_NEW; sweep++) sweepOldest(references, reference.at, index);
}

/** An open order keeps its name, also after the content is forgotten. */
export function nameIt(reference: Reference): void {
  const { user, kind, name } = reference;
  if (kind === "order") user.orderNames.set(name, reference);
  else user.movementNames.set(`${kind}:${name}`, reference);
}

export function forget({ user, kind, name }: Reference): void {
  if (kind === "order") user.orderNames.delete(name);
  else user.movementNames.delete(`${kind}:${name}`);
}

export function digestOf(parts: readonly (string | number | bigint | boolean)[]): string {
  return formatHash(hashText(parts.join("\n")));
}

export function referenceRow({ kind, user, name, digest, orderId, at }: Reference, number: number): ReferenceRow {
  return { kind, user: user.name, reference: name, digest, orderId, at, number };
}

/** Evicts the oldest, down to `keep`. Only the first `upTo` names taken: the caller knows that the store has them. */
export function evict(references: References, { upTo, keep }: { upTo: number; keep: number }, index: OrderIndex): void {
  const isOver = () => references.queue.length - references.swept > keep;
  const head = () => references.taken - (references.queue.length - references.swept);
  while (isOver() && head() < upTo) {
    const oldest = references.queue[references.swept] as Reference;
    references.completeFrom = Math.max(references.completeFrom, oldest.at + 1);
    references.evicted++;
    const key = keyOf(oldest);
    references.answers.delete(key);
    putName(references.filter, key, oldest.at);
    letGo(references, oldest, index);
  }
}

function sweepOldest(references: References, at: number, index: OrderIndex): void {
  const oldest = references.queue[references.swept];
  if (oldest !== undefined && !isRemembered(oldest, at)) letGo(references, oldest, index);
}

function letGo(references: References, oldest: Reference, index: OrderIndex): void {
  references.swept++;
  oldest.isHeld = false;
  const isCurrent = findReference(oldest.user, oldest.kind, oldest.name) === oldest;
  if (isCurrent && findSlot(index, oldest.orderId) === NONE) forget(oldest);
  if (references.swept < QUEUE_WASTE_MAX || references.swept * 2 < references.queue.length) return;
  references.queue = references.queue.slice(references.swept);
  references.swept = 0;
}

const keyOf = ({ kind, user, name }: Reference) => nameKey({ kind, user: user.name, name });

/** Neither a kind nor a user can have a space. */
const nameKey = ({ kind, user, name }: CommandName) => `${kind} ${user} ${name}`;

/**
 * How many commands a user has named, by the hour, as alternating hour and number. It follows from the commands and not
 * from the names in memory: so every engine refuses the same command. A day and the hours that it touches are at most
 * 26.
 */
export type NamedByHour = number[];

/** A user's number of an hour: for loading. */
export type NameCount = { readonly user: string; readonly hour: number; readonly number: number };

/** A user who has used up the names of a day is refused; other users are not affected. */
export function hasNamedAll({ references, bounds }: EngineState, user: User, wanted = 1): boolean {
  return namesCounted(user, references.firstHour) + wanted > bounds.namesPerUserMax;
}

function namesCounted({ namedByHour }: User, firstHour: number): number {
  let sum = 0;
  for (let at = 0; at < namedByHour.length; at += 2)
    if ((namedByHour[at] as number) >= firstHour) sum += namedByHour[at + 1] as number;
  return sum;
}

/** Counts one more name, and returns its number within the hour. */
export function countName(
  { namedByHour }: User,
  { hour, firstHour }: { readonly hour: number; readonly firstHour: number },
): number {
  while (namedByHour.length > 0 && (namedByHour[0] as number) < firstHour) namedByHour.splice(0, 2);
  const at = placeOf(namedByHour, hour);
  const number = (namedByHour[at + 1] ?? 0) + 1;
  namedByHour[at] = hour;
  namedByHour[at + 1] = number;
  return number;
}

/** Numbers are absolute: a row that is read twice, or after a later one, changes nothing. */
export function takeCount(
  { namedByHour }: User,
  { hour, number }: { readonly hour: number; readonly number: number },
): void {
  if (number === 0) return;
  const at = placeOf(namedByHour, hour);
  namedByHour[at] = hour;
  namedByHour[at + 1] = Math.max(namedByHour[at + 1] ?? 0, number);
}

/** The position of the hour, or of a new one. */
function placeOf(namedByHour: NamedByHour, hour: number): number {
  let at = namedByHour.length - 2;
  while (at >= 0 && namedByHour[at] !== hour) at -= 2;
  return at >= 0 ? at : namedByHour.length;
}
