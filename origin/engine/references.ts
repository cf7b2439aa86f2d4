import type { ReferenceKind, ReferenceRow } from "./changes.ts";
import { formatHash, hashText } from "./hash.ts";
import { REMEMBERED_MS } from "./limits.ts";
import { findSlot, type OrderIndex } from "./order-index.ts";
import { NONE } from "./order-slab.ts";
import type { User } from "./users.ts";

/**
 * What clients named their orders and movements, for 24 hours: the same name with the same content is done once. How many are
 * remembered is counted by the hour, so that the count depends on the commands alone and not on when the old ones were swept out.
 */
export type References = {
  /** Oldest first, from `swept` on. */
  queue: Reference[];
  swept: number;
  readonly countByHour: Map<number, number>;
  count: number;
  /** The oldest hour that still counts, and until when it does. */
  firstHour: number;
  firstHourUntil: number;
};

export type Reference = {
  readonly kind: ReferenceKind;
  readonly user: User;
  readonly name: string;
  readonly digest: string;
  readonly orderId: number;
  readonly at: number;
};

const HOUR_MS = 60 * 60 * 1_000;
/** More than come in, so that the old ones are never left behind, and few enough not to be felt. */
const SWEPT_PER_NEW = 4;
const QUEUE_WASTE_MAX = 65_536;

export function createReferences(): References {
  return { queue: [], swept: 0, countByHour: new Map(), count: 0, firstHour: 0, firstHourUntil: 0 };
}

/** With the engine's time, before anything is asked. */
export function forgetHours(references: References, at: number): void {
  if (at < references.firstHourUntil) return;
  const firstHour = Math.floor((at - REMEMBERED_MS) / HOUR_MS);
  references.firstHour = firstHour;
  references.firstHourUntil = (firstHour + 1) * HOUR_MS + REMEMBERED_MS;
  // At most 26 hours are in it.
  for (const [hour, count] of references.countByHour) {
    if (hour >= firstHour) continue;
    references.count -= count;
    references.countByHour.delete(hour);
  }
}

/** Whether something of that time still counts towards what may be remembered. */
export function isCounted({ firstHour }: References, at: number): boolean {
  return Math.floor(at / HOUR_MS) >= firstHour;
}

export function isRemembered(reference: Reference, at: number): boolean {
  return at - reference.at < REMEMBERED_MS;
}

/** What the user's name stands for, remembered or not: an order that is open for longer than a day keeps its name. */
export function findReference(user: User, kind: ReferenceKind, name: string): Reference | undefined {
  return kind === "order" ? user.orderNames.get(name) : user.movementNames.get(`${kind}:${name}`);
}

export function remember(references: References, reference: Reference, index: OrderIndex): void {
  const hour = Math.floor(reference.at / HOUR_MS);
  references.countByHour.set(hour, (references.countByHour.get(hour) ?? 0) + 1);
  references.count++;
  references.queue.push(reference);
  nameIt(reference);
  for (let sweep = 0; sweep < SWEPT_PER_NEW; sweep++) sweepOldest(references, reference.at, index);
}

/** Without counting it: an open order keeps its name, whether or not it is still remembered what it stood for. */
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

export function referenceRow({ kind, user, name, digest, orderId, at }: Reference): ReferenceRow {
  return { kind, user: user.name, reference: name, digest, orderId, at };
}

function sweepOldest(references: References, at: number, index: OrderIndex): void {
  const oldest = references.queue[references.swept];
  if (oldest === undefined || isRemembered(oldest, at)) return;
  references.swept++;
  const isCurrent = findReference(oldest.user, oldest.kind, oldest.name) === oldest;
  if (isCurrent && findSlot(index, oldest.orderId) === NONE) forget(oldest);
  if (references.swept < QUEUE_WASTE_MAX || references.swept * 2 < references.queue.length) return;
  references.queue = references.queue.slice(references.swept);
  references.swept = 0;
}
