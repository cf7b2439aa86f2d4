import { assert } from "../../shared/assert.ts";
import type { ReferenceKind, ReferenceRow } from "./changes.ts";
import { formatHash, hashText } from "./hash.ts";
import { REMEMBERED_MS } from "./limits.ts";
import { createNameFilter, mayHaveName, type NameFilter, putName } from "./name-filter.ts";
import { findSlot, type OrderIndex } from "./order-index.ts";
import { NONE } from "./order-slab.ts";
import type { User } from "./users.ts";

/**
 * What clients named their orders and movements, for 24 hours: the same name with the same content is done once. Memory holds the newest; older
 * ones are projected and are asked for before a command is applied that needs them. So what is in memory decides how much is asked, and
 * never what comes of a command.
 */
export type References = {
  /** Oldest first, from `swept` on. */
  queue: Reference[];
  swept: number;
  /** How many have ever been put into the queue. */
  taken: number;
  /** The oldest hour that still counts, and until when it does. */
  firstHour: number;
  firstHourUntil: number;
  /** Every name that was given at this time or later is in memory. */
  completeFrom: number;
  /** Every name that was given at this time or later is in memory or in the filter. */
  filteredFrom: number;
  readonly filter: NameFilter;
  /** What the store said about names that memory cannot tell of: what they stand for, or that it does not know them. */
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

/** What a command calls itself or the order that it is about. */
export type CommandName = { readonly kind: ReferenceKind; readonly user: string; readonly name: string };

export const HOUR_MS = 60 * 60 * 1_000;
/** More than come in, so that the old ones are never left behind, and few enough not to be felt. */
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

/** With the engine's time, before anything is asked. */
export function forgetHours(references: References, at: number): void {
  if (at < references.firstHourUntil) return;
  references.firstHour = Math.floor((at - REMEMBERED_MS) / HOUR_MS);
  references.firstHourUntil = (references.firstHour + 1) * HOUR_MS + REMEMBERED_MS;
}

/** Whether something of that time still counts towards what may be remembered. */
export function isCounted({ firstHour }: References, at: number): boolean {
  return Math.floor(at / HOUR_MS) >= firstHour;
}

export function isRemembered(reference: Reference, at: number): boolean {
  return at - reference.at < REMEMBERED_MS;
}

/** What memory has of the user's name, remembered or not: an order that is open for longer than a day keeps its name. */
export function findReference(user: User, kind: ReferenceKind, name: string): Reference | undefined {
  return kind === "order" ? user.orderNames.get(name) : user.movementNames.get(`${kind}:${name}`);
}

/** What the user's name stands for, in memory or by what the store has said. */
export function lookUp(references: References, { user, kind, name, at }: LookUp): Reference | undefined {
  const found = findReference(user, kind, name);
  if (found !== undefined && (found.digest !== NOT_KNOWN_YET || !isRemembered(found, at))) return found;
  const key = nameKey({ kind, user: user.name, name });
  const isAnswered = references.answers.has(key);
  assert(isAnswered || !isInStore(references, { key, at }), "the store is asked about a name before its command is applied");
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
 * Whether the store has to be asked before a command with this name is applied. Not for a name of the time from which memory is complete: it stays until
 * memory reaches back a day. What memory has of an older one is an open order's, which may close in the same batch and take its name along.
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

/** What the store has said. A name that has come into memory meanwhile is known better there. */
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

/** An open order keeps its name, whether or not it is still remembered what it stood for. */
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

/** The oldest leave memory, down to `keep`. Only those that were the first `upTo` to come: the caller knows that the store has them. */
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
