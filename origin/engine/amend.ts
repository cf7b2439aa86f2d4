import { pairOf, release, reservationOf } from "./book/open-orders.ts";
import { wordOf } from "./book/order-slab.ts";
import { slotFor } from "./cancel.ts";
import { keepRow, openRow, touchOrder } from "./change-log.ts";
import type { AmendOrder } from "./command.ts";
import { type Condition, conditionFor, conditionOf, isLimitType, isPending } from "./conditions/condition.ts";
import { valueAt } from "./exact.ts";
import { type Outcome, type RejectCode, reject } from "./outcome.ts";
import type { EngineState } from "./state.ts";

/** Fewer lots; the order keeps its id, its price and its place in the queue. */
export function amendOrder(state: EngineState, command: AmendOrder): Outcome {
  const { lots } = command;
  if (!(Number.isSafeInteger(lots) && lots > 0)) return reject("command_invalid");
  const slot = slotFor(state, command);
  if (typeof slot === "string") return reject(slot);
  const fault = faultOf(state, { slot, lots });
  if (fault !== undefined) return reject(fault);
  const { orders } = state;
  const before = orders.lots[wordOf(slot)] as number;
  const condition = conditionFor(state, slot);
  if (condition.originalLots === 0) condition.originalLots = before;
  const released = isPending(condition) ? shrinkReserve(condition, { before, lots }) : reservationOf(state, slot);
  orders.lots[wordOf(slot)] = lots;
  orders.updatedAt[wordOf(slot)] = state.at;
  const kept = isPending(condition) ? 0n : reservationOf(state, slot);
  release(state.accounts, orders.pays[slot] as number, released - kept);
  touchOrder(state, slot);
  const row = openRow(state, slot);
  keepRow(state, { slot, row });
  return { kind: "order", order: row, trades: [] };
}

type Amended = { readonly slot: number; readonly lots: number };

function faultOf(state: EngineState, { slot, lots }: Amended): RejectCode | undefined {
  const { orders } = state;
  const before = orders.lots[wordOf(slot)] as number;
  const condition = conditionOf(state, slot);
  // The orders above and below must agree, and one by quote amount has no lots.
  if (before === 0 || !(condition?.list === undefined || condition.role === "working")) return "amend_unsupported";
  if (lots > before) return "amend_upward";
  if (lots === before) return "amend_without_effect";
  if (lots <= (orders.filledLots[wordOf(slot)] as number)) return "amend_below_filled";
  if (condition !== undefined && !isLimitType(condition.type)) return undefined;
  const pair = pairOf(state, slot);
  const ticks = condition?.limitTicks ?? (orders.ticks[slot] as number);
  return valueAt(pair, { ticks, lots }) < pair.terms.valueStepsMin ? "value_below_minimum" : undefined;
}

/** Releases the funds that a pending order no longer needs: its reserve is a number of steps for each lot. */
function shrinkReserve(
  condition: Condition,
  { before, lots }: { readonly before: number; readonly lots: number },
): bigint {
  const kept = (condition.reserved / BigInt(before)) * BigInt(lots);
  const released = condition.reserved - kept;
  condition.reserved = kept;
  return released;
}
