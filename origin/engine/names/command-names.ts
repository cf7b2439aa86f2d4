import type { User } from "../accounts.ts";
import { findSlot, NONE } from "../book/order-slab.ts";
import type { ReferenceKind } from "../changes.ts";
import type { ListOrder, PlaceList, PlaceOrder } from "../command.ts";
import { type Outcome, reject } from "../outcome.ts";
import type { EngineState } from "../state.ts";
import { countName, digestOf, HOUR_MS, isRemembered, lookUp, referenceRow, remember } from "./references.ts";

/**
 * A repetition is answered with the first outcome. The name of an open order stands for that order, however old it is.
 */
export function recallOrder(state: EngineState, command: PlaceOrder, user: User): Outcome | undefined {
  return recall(state, { kind: "order", user, name: command.clientOrderId, digest: digestOfOrder(command) });
}

export type Recalled = {
  readonly kind: "order" | "list";
  readonly user: User;
  readonly name: string;
  readonly digest: string;
};

export function recall(state: EngineState, { kind, user, name, digest }: Recalled): Outcome | undefined {
  const reference = lookUp(state.references, { user, kind, name, at: state.at });
  if (reference === undefined) return undefined;
  const reused = reject(kind === "order" ? "client_order_id_reused" : "client_list_id_reused");
  if (isRemembered(reference, state.at))
    return reference.digest === digest ? { kind: "repetition", orderId: reference.orderId } : reused;
  return findSlot(state.index, reference.orderId) === NONE ? undefined : reused;
}

export function digestOfOrder(order: PlaceOrder): string {
  return digestOf([order.pair, order.grid, ...contentOf(order)]);
}

/** Each order of a list has the digest of the whole list, and its place. */
export function digestOfList({ pair, grid, list, orders }: PlaceList): string {
  return digestOf([pair, grid, list, ...orders.flatMap(contentOf)]);
}

function contentOf(order: ListOrder): readonly (string | number | bigint | boolean)[] {
  const { side, type, ticks, lots, quoteAmount, timeInForce, postOnly, selfTrade, conditions } = order;
  const content = [side, type, ticks, lots, quoteAmount, timeInForce, postOnly, selfTrade];
  if (conditions === undefined) return content;
  const { stopTicks, trailingBps, expiresAt, targetProfitPpm, stopLossPpm } = conditions;
  return [...content, stopTicks, trailingBps, expiresAt, targetProfitPpm, stopLossPpm];
}

type Given = {
  readonly kind: ReferenceKind;
  readonly user: User;
  readonly name: string;
  readonly digest: string;
  readonly orderId: number;
};

export function rememberName(state: EngineState, given: Given): void {
  const reference = { ...given, at: state.at, isHeld: true };
  remember(state.references, reference, state.index);
  const hour = Math.floor(state.at / HOUR_MS);
  const { firstHour } = state.references;
  state.log.references.push(referenceRow(reference, countName(given.user, { hour, firstHour })));
}
