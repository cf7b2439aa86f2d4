import type { Command, ListOrder, OrderConditions, PlaceOrder } from "../../origin/engine/command.ts";
import type { Random } from "../random.ts";

type WithoutHead<Whole> = Whole extends unknown ? Omit<Whole, "id" | "at"> : never;
type Body = WithoutHead<Command>;

type Market = {
  readonly user: string;
  readonly pair: string;
  /** Where prices are. */
  readonly ticks: number;
  /** The world's time. */
  readonly at: number;
  /** Orders and lists below it exist or existed. */
  readonly nextId: number;
};

const NONE: OrderConditions = { stopTicks: 0, trailingBps: 0, expiresAt: 0, targetProfitPpm: 0, stopLossPpm: 0 };
/** `stop` and `stopLimit` first. */
const TRIGGERS = ["stop", "stopLimit", "takeProfit", "takeProfitLimit"] as const;

/**
 * A command about an order with conditions or a list, or about one that may exist. Many are rejected, because the price
 * is elsewhere or the order has ended: those that are accepted fill every table.
 */
export function conditionalCommand(random: Random, market: Market): Body {
  const make = makerOf(random, market);
  const { user, at, nextId } = market;
  const someId = () => random.between(1, Math.max(1, nextId - 1));
  const kinds: readonly (readonly [share: number, make: () => Body])[] = [
    [30, make.trigger],
    [15, make.exit],
    [10, () => make.order({ timeInForce: "GTD", conditions: { ...NONE, expiresAt: at + random.between(5, 400) } })],
    [10, () => make.list("oco", make.legs())],
    [7, () => make.list("oto", [part(make.order({})), part(random.chance(0.5) ? make.trigger() : make.order({}))])],
    [8, () => make.list("otoco", [part(make.order({})), ...make.legs()])],
    [6, () => ({ kind: "amend", user, orderId: someId(), clientOrderId: "", lots: random.between(50, 1_000) })],
    [
      6,
      () => ({ kind: "replace", user, orderId: someId(), clientOrderId: "", order: make.order({}), ...make.choice() }),
    ],
    [4, () => ({ kind: "cancelList", user, listId: someId(), clientListId: "" })],
    [4, () => ({ kind: "cancelAfter", user, afterMs: random.chance(0.5) ? 0 : random.between(1_000, 2_000) })],
  ];
  let dice = random.between(1, 100);
  for (const [share, body] of kinds) {
    dice -= share;
    if (dice <= 0) return body();
  }
  return make.trigger();
}

function makerOf(random: Random, { user, pair, ticks }: Market) {
  const side = random.chance(0.5) ? "buy" : "sell";
  const away = (from: number, to: number) => ticks + random.between(from, to);
  const name = (letter: string) => (random.chance(0.3) ? `${letter}-${random.between(1, 10 ** 9)}` : "");

  const order = (fields: Partial<PlaceOrder>): PlaceOrder => ({
    ...{ kind: "place", user, pair, grid: 1, side, type: "limit", ticks: away(-30, 30), quoteAmount: 0n },
    ...{ lots: random.between(100, 2_000), timeInForce: "GTC", postOnly: false, selfTrade: "decrement" },
    ...{ clientOrderId: name("k"), openOrdersMax: 1_000 },
    ...fields,
  });

  function trigger(): PlaceOrder {
    const type = random.pick(TRIGGERS);
    const isAbove = TRIGGERS.indexOf(type) < 2 === (side === "buy");
    const trailingBps = random.chance(0.3) ? random.between(1, 3) : 0;
    const price = isAbove ? away(5, 60) : away(-60, -5);
    const stopTicks = trailingBps > 0 && random.chance(0.5) ? 0 : price;
    const conditions = { ...NONE, stopTicks, trailingBps };
    if (type.endsWith("Limit")) return order({ type, conditions });
    const amount = random.chance(0.3) ? { lots: 0, quoteAmount: 10n ** 10n } : {};
    return order({ type, ticks: 0, timeInForce: "IOC", ...amount, conditions });
  }

  function legs(): readonly ListOrder[] {
    const lots = random.between(100, 2_000);
    const limit = (at: number) => part(order({ postOnly: true, lots, ticks: at }));
    const stop = (stopTicks: number) =>
      part(order({ type: "stop", ticks: 0, timeInForce: "IOC", lots, conditions: { ...NONE, stopTicks } }));
    const [above, below] = [away(5, 60), away(-60, -5)];
    return side === "sell" ? [limit(above), stop(below)] : [stop(above), limit(below)];
  }

  return {
    order,
    trigger,
    legs,
    exit: () =>
      order({
        side: "buy",
        conditions: { ...NONE, targetProfitPpm: random.between(1, 60), stopLossPpm: random.between(1, 60) },
      }),
    list: (list: "oco" | "oto" | "otoco", orders: readonly ListOrder[]): Body => ({
      ...{ kind: "placeList", user, pair, grid: 1, openOrdersMax: 1_000, list, orders, clientListId: name("l") },
    }),
    choice: () => ({ onFailure: random.chance(0.5) ? "stop" : "continue" }) as const,
  };
}

const part = ({ kind, user, pair, grid, openOrdersMax, ...order }: PlaceOrder): ListOrder => order;
