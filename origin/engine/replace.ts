import { touchAccount } from "./accounts.ts";
import { ladderOf, putBack } from "./book/book.ts";
import {
  cancelOpenOrder,
  countOpen,
  endOrder,
  leaveBook,
  leavePlace,
  ownerOf,
  pairOf,
  reservedBy,
  unlistOrder,
} from "./book/open-orders.ts";
import { NONE, wordOf } from "./book/order-slab.ts";
import { slotFor } from "./cancel.ts";
import { restingKind } from "./change-log.ts";
import type { OrderRow } from "./changes.ts";
import type { ReplaceOrder } from "./command.ts";
import { conditionOf, isPending } from "./conditions/condition.ts";
import { insertTracking, stopTracking } from "./conditions/trailing.ts";
import { recallOrder } from "./names/command-names.ts";
import { type Outcome, type RejectCode, reject } from "./outcome.ts";
import { placeOrder } from "./place.ts";
import type { EngineState } from "./state.ts";

/**
 * A cancel and a new order. The old order is set aside while the new one is checked: its funds and its place count as
 * free, and it returns to exactly where it was if the new one is rejected.
 */
export function replaceOrder(state: EngineState, command: ReplaceOrder): Outcome {
  const { order, onFailure } = command;
  if (order.user !== command.user) return reject("command_invalid");
  const repetition = repetitionOf(state, command);
  if (repetition !== undefined) return repetition;
  const slot = replaceable(state, command);
  if (slot === "command_invalid" || (typeof slot === "string" && onFailure === "stop")) return reject(slot);
  if (typeof slot === "string") return placeAnyway(state, command, slot);
  const aside = setAside(state, slot);
  const outcome = placeOrder(state, order);
  if (outcome.kind !== "order") {
    aside.undo();
    if (outcome.kind !== "rejected" || onFailure === "stop") return outcome;
    const cancelled = cancelOpenOrder(state, { slot, reason: "replaced" });
    return { kind: "replaced", cancelled, placed: outcome.code, trades: [] };
  }
  return { kind: "replaced", cancelled: aside.end(), placed: outcome.order, trades: outcome.trades };
}

/** Whether this order was placed before: then the one that it replaces is gone already. */
function repetitionOf(state: EngineState, { order }: ReplaceOrder): Outcome | undefined {
  const user = state.users.byName.get(order.user);
  const known = user === undefined || order.clientOrderId === "" ? undefined : recallOrder(state, order, user);
  return known?.kind === "repetition" ? known : undefined;
}

/** An order of a list cannot leave it by itself. */
function replaceable(state: EngineState, command: ReplaceOrder): number | RejectCode {
  const slot = slotFor(state, command);
  if (typeof slot === "string") return slot;
  return conditionOf(state, slot)?.list === undefined ? slot : "amend_unsupported";
}

function placeAnyway(state: EngineState, { order }: ReplaceOrder, cancelled: RejectCode): Outcome {
  const outcome = placeOrder(state, order);
  if (outcome.kind !== "order") return outcome.kind === "rejected" ? reject(cancelled) : outcome;
  return { kind: "replaced", cancelled, placed: outcome.order, trades: outcome.trades };
}

type Aside = { readonly undo: () => void; readonly end: () => OrderRow };

/** Nothing is touched yet: a command without effect leaves no changes. */
function setAside(state: EngineState, slot: number): Aside {
  const { orders, accounts } = state;
  const condition = conditionOf(state, slot);
  const pair = pairOf(state, slot);
  const user = ownerOf(state, slot);
  const account = orders.pays[slot] as number;
  const reserved = reservedBy(state, slot);
  const isInBook = condition === undefined || !isPending(condition);
  const free = (amount: bigint) => {
    accounts.frozen[account] = (accounts.frozen[account] as bigint) - amount;
    accounts.available[account] = (accounts.available[account] as bigint) + amount;
  };
  free(reserved);
  state.aside = slot;
  if (isInBook) leaveBook(state, slot);
  // One that trails the price must not follow the trades of the new order.
  const tracking = condition?.phase === "tracking" ? condition : undefined;
  if (tracking !== undefined) stopTracking(state, pair, tracking);
  countOpen(state, { pair, user, by: -1 });
  return {
    undo() {
      state.aside = NONE;
      free(-reserved);
      if (tracking !== undefined) insertTracking(state, pair, tracking);
      if (isInBook) putBack(ladderOf(pair.book, orders.side[slot] as number), orders, slot);
      countOpen(state, { pair, user, by: 1 });
    },
    end() {
      state.aside = NONE;
      touchAccount(accounts, account);
      if (tracking !== undefined) insertTracking(state, pair, tracking);
      if (!isInBook) leavePlace(state, slot);
      countOpen(state, { pair, user, by: 1 });
      const kind = restingKind(pair, orders.id[wordOf(slot)] as number);
      unlistOrder(state, slot);
      orders.updatedAt[wordOf(slot)] = state.at;
      return endOrder(state, { slot, kind, status: "cancelled", cancelReason: "replaced" });
    },
  };
}
