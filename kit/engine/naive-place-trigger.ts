import type { PlaceOrder } from "../../origin/engine/command.ts";
import type { Outcome, RejectCode } from "../../origin/engine/outcome.ts";
import { isNaiveOpening } from "./naive-auction.ts";
import { addConditions } from "./naive-conditions.ts";
import { newOrder, roomFor } from "./naive-orders.ts";
import { available, copyOf, freeze, no } from "./naive-parts.ts";
import { beginWaiting, isBehind, reserveOf, sizeFault } from "./naive-triggers.ts";
import type { NaivePair, NaiveVenue } from "./naive-venue.ts";

type Given = { readonly command: PlaceOrder; readonly content: string };

/** It waits for a price, with its funds frozen. */
export function placeTrigger(venue: NaiveVenue, pair: NaivePair, { command, content }: Given): Outcome {
  const { user, side } = command;
  const fault = faultOf(venue, pair, command);
  if (fault) return no(fault);
  const reserved = reserveOf(venue, pair, command);
  const currency = side === "buy" ? pair.terms.quoteCurrency : pair.terms.baseCurrency;
  if (available(venue, user, currency) < reserved) return no("balance_insufficient");
  const order = newOrder(venue, pair, { command, content });
  order.status = "pending";
  const given = addConditions(order, command);
  given.reserved = reserved;
  freeze(venue, { user, currency, amount: reserved });
  beginWaiting(venue, pair, { order, isLate: false });
  return { kind: "order", order: copyOf(order), trades: [] };
}

function faultOf(venue: NaiveVenue, pair: NaivePair, command: PlaceOrder): RejectCode | undefined {
  const { user, clientOrderId, openOrdersMax, conditions } = command;
  const { stopTicks = 0, trailingBps = 0 } = conditions ?? {};
  if (command.grid !== pair.grid) return "pair_changed";
  if (pair.terms.state === "halted") return "pair_halted";
  if (venue.users.find(({ name }) => name === user)?.isFrozen) return "user_frozen";
  if (isNaiveOpening(venue, pair)) return "pair_opening";
  if (trailingBps > 0 && stopTicks === 0 && pair.lastTicks === 0) return "trigger_price_missing";
  if (trailingBps === 0 && isBehind(pair, command, stopTicks)) return "would_trigger_immediately";
  const size = sizeFault(venue, pair, command);
  if (size) return size;
  if (trailingBps > 0 && trailingIn(venue, pair) >= venue.bounds.trailingMax) return "trailing_orders_limit";
  return roomFor(venue, { user, orders: 1, openOrdersMax, names: clientOrderId === "" ? 0 : 1 });
}

export const trailingIn = (venue: NaiveVenue, { terms }: NaivePair) =>
  venue.orders.filter(
    ({ pair, status, conditions }) => pair === terms.pair && status === "pending" && (conditions?.trailingBps ?? 0) > 0,
  ).length;
