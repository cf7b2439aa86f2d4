import type { PlaceOrder } from "../../origin/engine/command.ts";
import type { Outcome, RejectCode } from "../../origin/engine/outcome.ts";
import { crossesOwn, isNaiveOpening, restingTicks } from "./naive-auction.ts";
import { newOrder, noRoom } from "./naive-orders.ts";
import { available, backing, balance, copyOf, MOST, no, PRICE_MOST, quantity, worth } from "./naive-parts.ts";
import { isOutsideBand } from "./naive-plan.ts";
import type { NaivePair, NaiveVenue } from "./naive-venue.ts";

/** It rests at a price, and nothing trades. */
export function placeInAuction(
  venue: NaiveVenue,
  pair: NaivePair,
  { command, content }: { readonly command: PlaceOrder; readonly content: string },
): Outcome {
  const ticks = restingTicks(pair, command);
  const fault = faultInAuction(venue, pair, { command, ticks });
  if (fault) return no(fault);
  const { side, lots } = command;
  const { baseCurrency, quoteCurrency } = pair.terms;
  const amount = side === "buy" ? worth(venue, pair, { ticks, lots }) : quantity(pair, lots);
  if (available(venue, command.user, side === "buy" ? quoteCurrency : baseCurrency) < amount)
    return no("balance_insufficient");
  const order = newOrder(venue, pair, { command: { ...command, ticks }, content });
  const backed = backing(venue, order);
  const row = balance(venue, order.user, backed.currency);
  row.available -= backed.amount;
  row.frozen += backed.amount;
  return { kind: "order", order: copyOf(order), trades: [] };
}

type Resting = { readonly command: PlaceOrder; readonly ticks: number };

function faultInAuction(venue: NaiveVenue, pair: NaivePair, { command, ticks }: Resting): RejectCode | undefined {
  const { user, timeInForce, quoteAmount, selfTrade } = command;
  if (command.grid !== pair.grid) return "pair_changed";
  if (isNaiveOpening(venue, pair)) return "pair_opening";
  if (venue.users.find(({ name }) => name === user)?.isFrozen) return "user_frozen";
  if (timeInForce === "FOK" || quoteAmount > 0n || command.conditions) return "auction_order_unsupported";
  if (ticks === 0) return "auction_price_required";
  const fault =
    valueFault(venue, pair, { command, ticks }) ?? noRoom(venue, { ...command, type: "limit", timeInForce: "GTC" });
  if (fault) return fault;
  return selfTrade !== "none" && crossesOwn(venue, command, ticks) ? "self_trade" : undefined;
}

function valueFault(venue: NaiveVenue, pair: NaivePair, { command, ticks }: Resting): RejectCode | undefined {
  const { type, side, lots } = command;
  const valueTicks = type === "market" && side === "sell" ? pair.lastTicks : ticks;
  const value = worth(venue, pair, { ticks: valueTicks, lots });
  if (valueTicks > PRICE_MOST || value > MOST || quantity(pair, lots) > MOST) return "value_too_large";
  if (value < pair.terms.valueStepsMin && valueTicks > 0) return "value_below_minimum";
  return type === "limit" && isOutsideBand(pair, side, ticks) ? "price_outside_band" : undefined;
}
