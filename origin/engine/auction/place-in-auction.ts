import type { User } from "../accounts.ts";
import { BUY, NONE } from "../book/order-slab.ts";
import { highestTicks, limitFault, lowestTicks, type Placing, roomFault } from "../check-order.ts";
import type { PlaceOrder } from "../command.ts";
import { conditionOf, isPending } from "../conditions/condition.ts";
import { quantityOf } from "../exact.ts";
import { STEPS_MAX, TICKS_MAX } from "../limits.ts";
import type { RejectCode } from "../outcome.ts";
import type { Pair } from "../pairs.ts";
import type { EngineState } from "../state.ts";
import { isOpening } from "./enter-auction.ts";

/**
 * Order entry in an auction. Every accepted order rests, and nothing trades before the bell:
 *
 * - a limit order takes part with its price; with `IOC`, its rest is cancelled at the opening instead of resting;
 * - a market order (by quantity) is a limit order at the edge of the price band, the worst price that it may trade at,
 *   and its funds are reserved at that price; its rest is cancelled at the opening. A buy order needs such an edge: a
 *   band and a last price;
 * - an order that crosses one of the user's own is refused, so that no user can meet themselves at one price; with the
 *   mode `none` it is accepted;
 * - `FOK`, an amount in the quote currency, and conditions other than a trigger have no meaning here and are refused.
 */

/** The price at which the order rests, or the reason to refuse it. */
export function auctionTicks(state: EngineState, { command, pair, user }: Given): number | RejectCode {
  if (command.grid !== pair.grid) return "pair_changed";
  if (isOpening(state, pair)) return "pair_opening";
  if (user?.isFrozen === true) return "user_frozen";
  const isMarket = command.type === "market";
  const isPlain = command.conditions === undefined && (isMarket || command.type === "limit");
  if (command.timeInForce === "FOK" || command.quoteAmount > 0n || !isPlain) return "auction_order_unsupported";
  if (isMarket && command.side === "buy" && highestTicks(pair) === TICKS_MAX) return "auction_price_required";
  const order = isMarket ? { ...command, ticks: worstTicks(command, pair) } : command;
  return entryFault(state, { order, pair, user }) ?? order.ticks;
}

type Given = Pick<Placing, "command" | "pair" | "user">;

const worstTicks = ({ side }: PlaceOrder, pair: Pair): number =>
  side === "buy" ? highestTicks(pair) : lowestTicks(pair);

type Entry = { readonly order: PlaceOrder; readonly pair: Pair; readonly user: User | undefined };

function entryFault(state: EngineState, { order, pair, user }: Entry): RejectCode | undefined {
  // The value of a market order to sell is not known: the last price is the best guess.
  const isSellAtMarket = order.type === "market" && order.side === "sell";
  const ticks = isSellAtMarket ? pair.lastTicks : order.ticks;
  const asLimit = { ...order, ticks, type: "limit", timeInForce: "GTC" } as const;
  const fault =
    ticks === 0
      ? unvaluedFault(state, { order: asLimit, pair, user })
      : limitFault(state, { command: asLimit, pair, user });
  if (fault !== undefined) return fault;
  const isSelfTrade = order.selfTrade !== "none" && user !== undefined && crossesOwn(state, { order, pair, user });
  return isSelfTrade ? "self_trade" : undefined;
}

/** Before the first trade there is no guess either. */
function unvaluedFault(state: EngineState, { order, pair, user }: Entry): RejectCode | undefined {
  return quantityOf(pair, order.lots) > STEPS_MAX ? "value_too_large" : roomFault(state, order, user);
}

/**
 * Looks at the user's open orders of the pair, of which the venue allows a bounded number. Pending ones have no price in
 * the book: when they run, the pair trades again.
 */
function crossesOwn(state: EngineState, { order, pair, user }: Entry & { readonly user: User }): boolean {
  const { orders } = state;
  const isBuy = order.side === "buy";
  let slot = user.oldestOpen[pair.index] ?? NONE;
  for (; slot !== NONE; slot = orders.userYounger[slot] as number) {
    const ticks = orders.ticks[slot] as number;
    const isOther = (orders.side[slot] === BUY) !== isBuy && isInBook(state, slot);
    if (isOther && (isBuy ? ticks <= order.ticks : ticks >= order.ticks)) return true;
  }
  return false;
}

function isInBook(state: EngineState, slot: number): boolean {
  const condition = conditionOf(state, slot);
  return slot !== state.aside && (condition === undefined || !isPending(condition));
}

/** An order that rests and is only for the opening. */
export function noteOnOpen({ onOpen }: Pair, id: number, { type, timeInForce }: Style): void {
  if (type === "market" || (type === "limit" && timeInForce === "IOC"))
    onOpen.set(id, { type, timeInForce, quoteAmount: 0n });
}

type Style = Pick<PlaceOrder, "type" | "timeInForce">;
