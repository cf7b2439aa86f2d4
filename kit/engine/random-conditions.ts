import type { CommandBody, ListOrder, OrderConditions, PlaceOrder } from "../../origin/engine/command.ts";
import type { SelfTrade, TriggerType } from "../../origin/engine/terms.ts";
import type { Random } from "../random.ts";
import { isAlive } from "./naive-parts.ts";
import type { NaiveOrder, NaiveVenue } from "./naive-venue.ts";
import { anyLots, anyQuoteAmount, anyUser, randomOrder } from "./random-commands.ts";

const NO_CONDITIONS: OrderConditions = {
  ...{ stopTicks: 0, trailingBps: 0, expiresAt: 0, targetProfitPpm: 0, stopLossPpm: 0 },
};

export function anySelfTrade(random: Random): SelfTrade {
  return random.pick(["cancelNewest", "cancelOldest", "cancelBoth", "none", "decrement"]);
}

/** Soon, so that it comes while the order is open; rarely in the past or in many years. */
function anyExpiry(random: Random, { at }: NaiveVenue): number {
  return at + (random.chance(0.05) ? random.pick([-1, 0, 400 * 86_400_000]) : random.between(1_000, 120_000));
}

function withExpiry(random: Random, venue: NaiveVenue, order: PlaceOrder): PlaceOrder {
  return { ...order, timeInForce: "GTD", conditions: { ...NO_CONDITIONS, expiresAt: anyExpiry(random, venue) } };
}

function withExit(random: Random, order: PlaceOrder): PlaceOrder {
  const isWrong = random.chance(0.05);
  const targetProfitPpm = isWrong ? random.pick([-1, 10_000_001, 5]) : random.pick([0, 10_000, 20_000, 50_000]);
  const stopLossPpm = isWrong ? random.pick([-1, 1_000_000]) : random.pick([0, 10_000, 30_000]);
  const side = random.chance(0.9) ? "buy" : order.side;
  return { ...order, side, conditions: { ...NO_CONDITIONS, targetProfitPpm, stopLossPpm } };
}

export function withSomeConditions(random: Random, venue: NaiveVenue, order: PlaceOrder): PlaceOrder {
  if (random.chance(0.85)) return order;
  return random.chance(0.4) ? withExpiry(random, venue, order) : withExit(random, order);
}

/** Around the last price, on either side. */
function stopNear(random: Random, lastTicks: number): number {
  const from = lastTicks === 0 ? 100 : lastTicks;
  return Math.max(1, from + random.between(-4, 4));
}

/** On the side of the last price where this trigger waits. */
function stopBeyond(
  random: Random,
  { type, side, lastTicks }: { type: string; side: string; lastTicks: number },
): number {
  const rises = type.startsWith("stop") === (side === "buy");
  const from = lastTicks === 0 ? 100 : lastTicks;
  return Math.max(1, from + (rises ? 1 : -1) * random.between(1, 3));
}

export function randomTrigger(random: Random, venue: NaiveVenue): PlaceOrder {
  const base = randomOrder(random, venue);
  const pair = venue.pairs.find(({ terms }) => terms.pair === base.pair);
  const { clientOrderId, user, side, grid, openOrdersMax } = base;
  const lastTicks = pair?.lastTicks ?? 0;
  const order = triggerLeg(random, { side, lastTicks });
  const isByAmount = order.ticks === 0 && pair !== undefined && random.chance(0.3);
  const amounts = isByAmount ? { lots: 0, quoteAmount: anyQuoteAmount(random, pair.terms) } : {};
  const timed = random.chance(0.15)
    ? {
        timeInForce: "GTD" as const,
        conditions: { ...NO_CONDITIONS, ...order.conditions, expiresAt: anyExpiry(random, venue) },
      }
    : {};
  const whole = { ...order, ...amounts, ...timed, kind: "place", user, pair: base.pair, grid, openOrdersMax } as const;
  if (random.chance(0.02))
    return { ...whole, clientOrderId, conditions: { ...NO_CONDITIONS, ...oddConditions(random) } };
  return { ...whole, clientOrderId };
}

const oddConditions = (random: Random): Partial<OrderConditions> =>
  random.pick<Partial<OrderConditions>>([
    {},
    { trailingBps: 5_001 },
    { trailingBps: -1 },
    { stopTicks: 1.5 },
    { stopTicks: 2 ** 31 },
    { stopTicks: 90, targetProfitPpm: 5 },
    { stopTicks: 90, expiresAt: 5 },
  ]);

function triggerLeg(random: Random, { side, lastTicks }: { side: "buy" | "sell"; lastTicks: number }): ListOrder {
  const type: TriggerType = random.pick(["stop", "stop", "stopLimit", "takeProfit", "takeProfitLimit"]);
  return legOf(random, { type, side, lastTicks, lots: anyLots(random) });
}

type Leg = {
  readonly type: TriggerType;
  readonly side: "buy" | "sell";
  readonly lastTicks: number;
  readonly lots: number;
};

function legOf(random: Random, { type, side, lastTicks, lots }: Leg): ListOrder {
  const isLimitForm = type === "stopLimit" || type === "takeProfitLimit";
  const stopTicks = random.chance(0.9) ? stopBeyond(random, { type, side, lastTicks }) : stopNear(random, lastTicks);
  const trailingBps = random.chance(0.25) ? random.pick([50, 100, 150, 300]) : 0;
  const conditions = {
    ...NO_CONDITIONS,
    stopTicks: trailingBps > 0 && random.chance(0.6) ? 0 : stopTicks,
    trailingBps,
  };
  return {
    ...{ side, type, ticks: isLimitForm ? Math.max(1, stopTicks + random.between(-2, 2)) : 0, lots, quoteAmount: 0n },
    timeInForce: isLimitForm ? random.pick(["GTC", "GTC", "GTC", "IOC", "FOK"]) : random.pick(["IOC", "IOC", "FOK"]),
    ...{ postOnly: false, selfTrade: anySelfTrade(random), clientOrderId: "", conditions },
  };
}

export function randomList(random: Random, venue: NaiveVenue): CommandBody {
  const base = randomOrder(random, venue);
  const pair = venue.pairs.find(({ terms }) => terms.pair === base.pair);
  const lastTicks = pair?.lastTicks ?? 0;
  const list = random.pick(["oco", "oto", "otoco"] as const);
  const side = random.pick(["buy", "sell"] as const);
  const lots = anyLots(random);
  const working: ListOrder = { ...limitLeg(random, { side, lastTicks, lots }), ticks: random.between(98, 102) };
  const opposite = random.chance(0.7) ? (side === "buy" ? "sell" : "buy") : side;
  const legs = pairOfLegs(random, { side: list === "oco" ? side : opposite, lastTicks, lots });
  const pending: ListOrder = random.pick([
    legs[0],
    legs[1],
    limitLeg(random, { side: opposite, lastTicks, lots }),
    {
      ...limitLeg(random, { side: opposite, lastTicks, lots }),
      type: "market",
      ticks: 0,
      postOnly: false,
      timeInForce: "IOC",
    },
  ]);
  const orders = { oco: legs, oto: [working, pending], otoco: [working, ...legs] }[list];
  const named = orders.map((order) => ({
    ...order,
    clientOrderId: random.chance(0.2) ? `c${random.between(1, 400)}` : "",
  }));
  const { user, grid, openOrdersMax } = base;
  const clientListId = random.chance(0.4) ? `l${random.between(1, 30)}` : "";
  const mixed = random.chance(0.03) ? [...named].reverse() : named;
  return { kind: "placeList", user, pair: base.pair, grid, openOrdersMax, list, clientListId, orders: mixed };
}

type Placed = { readonly side: "buy" | "sell"; readonly lastTicks: number; readonly lots: number };

function limitLeg(random: Random, { side, lastTicks, lots }: Placed): ListOrder {
  const from = lastTicks === 0 ? 100 : lastTicks;
  const ticks = Math.max(1, from + (side === "sell" ? 1 : -1) * random.between(random.chance(0.1) ? -1 : 1, 3));
  return {
    ...{ side, type: "limit", ticks, lots, quoteAmount: 0n, timeInForce: "GTC", postOnly: random.chance(0.2) },
    ...{ selfTrade: anySelfTrade(random), clientOrderId: "" },
  };
}

function pairOfLegs(random: Random, placed: Placed): [ListOrder, ListOrder] {
  const stop = legOf(random, { ...placed, type: random.pick(["stop", "stopLimit"]) });
  const take = random.chance(0.6)
    ? limitLeg(random, placed)
    : legOf(random, { ...placed, type: random.pick(["takeProfit", "takeProfitLimit"]) });
  return placed.side === "sell" ? [take, stop] : [stop, take];
}

/** Amend, replace, cancel a list, or set the dead man's switch. */
export function randomChange(random: Random, venue: NaiveVenue): CommandBody {
  const alive = venue.orders.filter(isAlive);
  const order = alive[random.between(0, alive.length - 1)];
  const dice = random.next();
  if (dice < 0.1)
    return {
      kind: "cancelAfter",
      user: anyUser(random),
      afterMs: random.pick([0, 1_000, 20_000, 60_000, 60_000, 500, -1]),
    };
  if (dice < 0.25) return anyCancelList(random, venue);
  if (order === undefined) return { kind: "tick" };
  const user = random.chance(0.03) ? anyUser(random) : order.user;
  const isByName = order.clientOrderId !== "" && random.chance(0.4);
  const name = { orderId: isByName ? 0 : order.id, clientOrderId: isByName ? order.clientOrderId : "" };
  if (dice < 0.6) return { kind: "amend", user, ...name, lots: anyAmendedLots(random, order) };
  const isTrigger = random.chance(0.2);
  const wanted = isTrigger ? randomTrigger(random, venue) : randomOrder(random, venue);
  const replacement = { ...wanted, user: random.chance(0.02) ? anyUser(random) : user };
  return { kind: "replace", user, ...name, order: replacement, onFailure: random.pick(["stop", "continue"]) };
}

const anyAmendedLots = (random: Random, { lots, filledLots }: NaiveOrder): number =>
  random.pick([lots - 1, Math.ceil(lots / 2), filledLots + 1, filledLots, lots, lots + 1, 0]);

function anyCancelList(random: Random, venue: NaiveVenue): CommandBody {
  const list = venue.lists[random.between(Math.max(0, venue.lists.length - 8), venue.lists.length - 1)];
  const user = list === undefined || random.chance(0.05) ? anyUser(random) : list.user;
  const isByName = list !== undefined && list.clientListId !== "" && random.chance(0.5);
  const listId = isByName ? 0 : (list?.id ?? random.pick([0, 1, -1]));
  return { kind: "cancelList", user, listId, clientListId: isByName ? list.clientListId : "" };
}

export function randomCancel(random: Random, venue: NaiveVenue): CommandBody {
  const open = venue.orders.filter(isAlive);
  const order = open[random.between(0, open.length - 1)];
  if (random.chance(0.1) || order === undefined) {
    const orderId = random.pick([
      0,
      venue.orders.length,
      venue.orders.length + 1,
      -1,
      1.5,
      random.between(1, venue.orders.length + 2),
    ]);
    return { kind: "cancel", user: anyUser(random), orderId, clientOrderId: random.pick(["", "", "a", "c7", "c999"]) };
  }
  const user = random.chance(0.05) ? anyUser(random) : order.user;
  const isByName = order.clientOrderId !== "" && random.chance(0.7);
  return { kind: "cancel", user, orderId: isByName ? 0 : order.id, clientOrderId: isByName ? order.clientOrderId : "" };
}
