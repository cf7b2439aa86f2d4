import { availableOf, type User } from "../accounts.ts";
import { isOpening } from "../auction/enter-auction.ts";
import { keepRow, openRow } from "../change-log.ts";
import { roomFor, tradingFault } from "../check-order.ts";
import type { PlaceOrder } from "../command.ts";
import { digestOfOrder, rememberName } from "../names/command-names.ts";
import { type Outcome, type RejectCode, reject } from "../outcome.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import { addPending, awaitTrigger, freeze } from "./add-order.ts";
import { triggerFault, triggerReserve, triggerValueFault } from "./check-conditions.ts";

type Placing = { readonly command: PlaceOrder; readonly user: User | undefined; readonly pair: Pair };

/** An order that waits for a price: its funds are frozen, and it is in no book. */
export function placeTrigger(state: EngineState, placing: Placing): Outcome {
  const { command, user, pair } = placing;
  const fault = faultOf(state, placing);
  if (fault !== undefined) return reject(fault);
  const reserved = triggerReserve(command, pair);
  const pays = command.side === "buy" ? pair.quote : pair.base;
  if (user === undefined || availableOf(state.accounts, user, pays) < reserved) return reject("balance_insufficient");
  const id = state.nextOrderId++;
  if (command.clientOrderId !== "")
    rememberName(state, {
      kind: "order",
      user,
      name: command.clientOrderId,
      digest: digestOfOrder(command),
      orderId: id,
    });
  const condition = addPending(state, { id, user, pair, order: command });
  freeze(state, state.orders.pays[condition.slot] as number, reserved);
  condition.reserved = reserved;
  awaitTrigger(state, pair, condition);
  const row = openRow(state, condition.slot);
  keepRow(state, { slot: condition.slot, row });
  return { kind: "order", order: row, trades: [] };
}

function faultOf(state: EngineState, { command, user, pair }: Placing): RejectCode | undefined {
  const { conditions, clientOrderId, openOrdersMax } = command;
  return (
    tradingFault(command, { pair, user }) ??
    (isOpening(state, pair) ? "pair_opening" : undefined) ??
    triggerFault(command, pair) ??
    triggerValueFault(command, pair) ??
    trailingFault(state, pair, conditions?.trailingBps ?? 0) ??
    roomFor(state, { user, orders: 1, openOrdersMax, names: clientOrderId === "" ? 0 : 1 })
  );
}

/** Each of them is looked at when the price moves. */
function trailingFault({ bounds }: EngineState, { triggers }: Pair, trailingBps: number): RejectCode | undefined {
  return trailingBps > 0 && triggers.trailing >= bounds.trailingMax ? "trailing_orders_limit" : undefined;
}
