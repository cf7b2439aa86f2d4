import type { User } from "./accounts.ts";
import { withdrawalFault } from "./auction/enter-auction.ts";
import { pairOf } from "./book/open-orders.ts";
import { type EndReason, findSlot, NONE } from "./book/order-slab.ts";
import type { OrderRow } from "./changes.ts";
import type { CancelAll, CancelList, CancelOrder } from "./command.ts";
import { cancelWholeList, cancelWithList } from "./conditions/end-list.ts";
import { findList } from "./conditions/list.ts";
import { isRemembered, lookUp } from "./names/references.ts";
import { type Outcome, type RejectCode, reject } from "./outcome.ts";
import type { Pair } from "./pairs.ts";
import type { EngineState } from "./state.ts";

export function cancelOrder(state: EngineState, command: CancelOrder): Outcome {
  const slot = slotFor(state, command);
  if (typeof slot === "string") return reject(slot);
  return { kind: "cancelled", orders: cancelWithList(state, { slot, reason: "user" }), hasMore: false };
}

/** The open or pending order that a user means, or why there is none. */
export function slotFor(
  state: EngineState,
  { user: name, orderId, clientOrderId }: Pick<CancelOrder, "user" | "orderId" | "clientOrderId">,
): number | RejectCode {
  if ((orderId === 0) === (clientOrderId === "")) return "command_invalid";
  const user = state.users.byName.get(name);
  if (user === undefined) return "order_unknown";
  const slot = orderId === 0 ? slotNamed(state, { user, clientOrderId }) : slotOf(state, { user, orderId });
  return typeof slot === "string" ? slot : (withdrawalFault(state, pairOf(state, slot)) ?? slot);
}

/** All orders of a list that can still trade. */
export function cancelList(state: EngineState, { user: name, listId, clientListId }: CancelList): Outcome {
  if ((listId === 0) === (clientListId === "")) return reject("command_invalid");
  const user = state.users.byName.get(name);
  if (user === undefined) return reject("list_unknown");
  const reference =
    listId === 0 ? lookUp(state.references, { user, kind: "list", name: clientListId, at: state.at }) : undefined;
  const named = reference !== undefined && isRemembered(reference, state.at) ? reference.orderId : 0;
  const id = listId === 0 ? named : listId;
  if (!(Number.isSafeInteger(id) && id > 0 && id < state.nextOrderId)) return reject("list_unknown");
  const list = findList(state, id);
  if (list === undefined || list.user !== user) return reject("list_not_active");
  const fault = withdrawalFault(state, list.pair);
  if (fault !== undefined) return reject(fault);
  return { kind: "cancelled", orders: cancelWholeList(state, list), hasMore: false };
}

/** Another user's order is answered like a closed one, so that its state stays private. */
function slotOf(
  state: EngineState,
  { user, orderId }: { readonly user: User; readonly orderId: number },
): number | RejectCode {
  if (!(Number.isSafeInteger(orderId) && orderId > 0 && orderId < state.nextOrderId)) return "order_unknown";
  const slot = findSlot(state.index, orderId);
  return slot === NONE || state.orders.user[slot] !== user.index ? "order_not_open" : slot;
}

function slotNamed(
  state: EngineState,
  { user, clientOrderId }: { readonly user: User; readonly clientOrderId: string },
) {
  const reference = lookUp(state.references, { user, kind: "order", name: clientOrderId, at: state.at });
  if (reference === undefined) return "order_unknown";
  const slot = findSlot(state.index, reference.orderId);
  if (slot !== NONE) return slot;
  return isRemembered(reference, state.at) ? "order_not_open" : "order_unknown";
}

/** The oldest first, pair by pair. Nothing to cancel is not an error. */
export function cancelAll(state: EngineState, command: CancelAll): Outcome {
  const pair = state.pairs.byName.get(command.pair);
  if (command.pair !== "" && pair === undefined) return reject("pair_unknown");
  const user = state.users.byName.get(command.user);
  if (user === undefined) return { kind: "cancelled", orders: [], hasMore: false };
  const fault = pair === undefined ? undefined : withdrawalFault(state, pair);
  if (fault !== undefined) return reject(fault);
  // Of all pairs, those whose orders cannot be cancelled now are left out.
  const pairs = pair === undefined ? state.pairs.sorted.filter((each) => !withdrawalFault(state, each)) : [pair];
  return { kind: "cancelled", ...cancelOldest(state, { user, pairs, max: state.bounds.cancelsMax, reason: "user" }) };
}

type Oldest = {
  readonly user: User;
  readonly pairs: readonly Pair[];
  /** An order of a list takes the others along: so it can be two more. */
  readonly max: number;
  readonly reason: EndReason;
};

export function cancelOldest(
  state: EngineState,
  { user, pairs, max, reason }: Oldest,
): { readonly orders: readonly OrderRow[]; readonly hasMore: boolean } {
  const orders: OrderRow[] = [];
  for (const each of pairs) {
    for (let slot = oldest(user, each); slot !== NONE && orders.length < max; slot = oldest(user, each))
      orders.push(...cancelWithList(state, { slot, reason }));
  }
  return { orders, hasMore: pairs.some((each) => oldest(user, each) !== NONE) };
}

function oldest(user: User, pair: Pair): number {
  return user.oldestOpen[pair.index] ?? NONE;
}
