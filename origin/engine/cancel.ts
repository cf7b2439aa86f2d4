import type { User } from "./accounts.ts";
import { withdrawalFault } from "./auction/enter-auction.ts";
import { cancelOpenOrder, pairOf } from "./book/open-orders.ts";
import { findSlot, NONE } from "./book/order-slab.ts";
import type { OrderRow } from "./changes.ts";
import type { CancelAll, CancelOrder } from "./command.ts";
import { isRemembered, lookUp } from "./names/references.ts";
import { type Outcome, type RejectCode, reject } from "./outcome.ts";
import type { Pair } from "./pairs.ts";
import type { EngineState } from "./state.ts";

export function cancelOrder(state: EngineState, command: CancelOrder): Outcome {
  const { orderId, clientOrderId } = command;
  if ((orderId === 0) === (clientOrderId === "")) return reject("command_invalid");
  const user = state.users.byName.get(command.user);
  if (user === undefined) return reject("order_unknown");
  const slot = orderId === 0 ? slotNamed(state, { user, clientOrderId }) : slotOf(state, { user, orderId });
  if (typeof slot === "string") return reject(slot);
  const fault = withdrawalFault(state, pairOf(state, slot));
  if (fault !== undefined) return reject(fault);
  return { kind: "cancelled", orders: [cancelOpenOrder(state, { slot, reason: "user" })], hasMore: false };
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
  const orders: OrderRow[] = [];
  for (const each of pairs) {
    for (
      let slot = oldest(user, each);
      slot !== NONE && orders.length < state.bounds.cancelsMax;
      slot = oldest(user, each)
    ) {
      orders.push(cancelOpenOrder(state, { slot, reason: "user" }));
    }
  }
  return { kind: "cancelled", orders, hasMore: pairs.some((each) => oldest(user, each) !== NONE) };
}

function oldest(user: User, pair: Pair): number {
  return user.oldestOpen[pair.index] ?? NONE;
}
