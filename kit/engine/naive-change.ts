import type { AmendOrder, CancelAfter, ReplaceOrder } from "../../origin/engine/command.ts";
import type { Outcome, RejectCode } from "../../origin/engine/outcome.ts";
import { orderMeant } from "./naive-cancel.ts";
import { addConditions } from "./naive-conditions.ts";
import { contentOf, naivePlace } from "./naive-orders.ts";
import { backing, cancelOne, copyOf, freeze, isOpen, no, pairNamed, said, worth } from "./naive-parts.ts";
import { isLimit } from "./naive-triggers.ts";
import type { NaiveOrder, NaiveVenue } from "./naive-venue.ts";

export function naiveAmend(venue: NaiveVenue, command: AmendOrder): Outcome {
  const { lots } = command;
  if (!Number.isSafeInteger(lots) || lots <= 0) return no("command_invalid");
  const order = orderMeant(venue, command);
  if (typeof order === "string") return no(order);
  const { conditions } = order;
  const isLeg = conditions !== undefined && conditions.listId !== 0 && conditions.role !== "working";
  if (order.lots === 0 || isLeg) return no("amend_unsupported");
  if (lots > order.lots) return no("amend_upward");
  if (lots === order.lots) return no("amend_without_effect");
  if (lots <= order.filledLots) return no("amend_below_filled");
  const pair = pairNamed(venue, order.pair);
  const isValued = conditions === undefined || isLimit(order.type);
  if (isValued && worth(venue, pair, { ticks: order.ticks, lots }) < pair.terms.valueStepsMin)
    return no("value_below_minimum");
  const changed = addConditions(order);
  if (changed.originalLots === 0) changed.originalLots = order.lots;
  const before = backing(venue, order);
  if (!isOpen(order)) changed.reserved = (changed.reserved / BigInt(order.lots)) * BigInt(lots);
  order.lots = lots;
  order.updatedAt = venue.at;
  freeze(venue, { user: order.user, currency: before.currency, amount: backing(venue, order).amount - before.amount });
  return { kind: "order", order: copyOf(order), trades: [] };
}

/** Tried on the venue itself: the order is put aside, and comes back if the new one is refused. */
export function naiveReplace(venue: NaiveVenue, command: ReplaceOrder): Outcome {
  const { order: wanted, onFailure } = command;
  if (wanted.user !== command.user) return no("command_invalid");
  const name = { kind: "order", user: wanted.user, name: wanted.clientOrderId };
  const before = wanted.clientOrderId === "" ? undefined : said(venue, name);
  if (before?.content === contentOf(wanted)) return { kind: "repetition", orderId: before.orderId };
  const found = orderMeant(venue, command);
  const old = typeof found !== "string" && (found.conditions?.listId ?? 0) !== 0 ? "amend_unsupported" : found;
  if (old === "command_invalid" || (typeof old === "string" && onFailure === "stop")) return no(old);
  return typeof old === "string" ? placeAnyway(venue, command, old) : swap(venue, command, old);
}

function placeAnyway(venue: NaiveVenue, { order }: ReplaceOrder, cancelled: RejectCode): Outcome {
  const placed = naivePlace(venue, order);
  if (placed.kind !== "order") return placed.kind === "rejected" ? no(cancelled) : placed;
  return { kind: "replaced", cancelled, placed: placed.order, trades: placed.trades };
}

function swap(venue: NaiveVenue, { order, onFailure }: ReplaceOrder, old: NaiveOrder): Outcome {
  const { currency, amount } = backing(venue, old);
  const { status, user } = old;
  freeze(venue, { user, currency, amount: -amount });
  old.status = "cancelled";
  const placed = naivePlace(venue, order);
  old.status = status;
  freeze(venue, { user, currency, amount });
  const isDone = placed.kind === "order" || (placed.kind === "rejected" && onFailure === "continue");
  if (!isDone) return placed;
  cancelOne(venue, old, "replaced");
  const cancelled = copyOf(old);
  if (placed.kind === "order") return { kind: "replaced", cancelled, placed: placed.order, trades: placed.trades };
  return { kind: "replaced", cancelled, placed: placed.code, trades: [] };
}

export function naiveCancelAfter(venue: NaiveVenue, { user, afterMs }: CancelAfter): Outcome {
  const isSound = afterMs === 0 || (Number.isSafeInteger(afterMs) && afterMs >= 1_000 && afterMs <= 86_400_000);
  if (!isSound) return no("cancel_after_invalid");
  const found = venue.users.find(({ name }) => name === user);
  if (!found) return { kind: "cancelAfter", cancelAt: 0 };
  found.cancelAt = afterMs === 0 ? 0 : venue.at + afterMs;
  return { kind: "cancelAfter", cancelAt: found.cancelAt };
}
