import { assert } from "../../shared/assert.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { DatabaseUnavailable } from "../db/database.ts";
import type { PlaceOrder } from "../engine/command.ts";
import type { KnownPair } from "../instruments/grid.ts";
import type { KnownPairs } from "../state/known-pairs.ts";
import type { Accepted, Committed, Desk } from "./desk.ts";
import { orderCommand } from "./order-command.ts";
import type { OrderStore } from "./order-store.ts";
import type { NewOrder, Order, OrderPort, PlacedOrder, Trader, TradingFailure } from "./trading-port.ts";
import { fillOf, orderOf } from "./views.ts";

type VenueOrders = Pick<OrderPort, "placeOrder" | "placeOrders" | "cancelOrder" | "cancelOrders" | "readCommand">;

type OrderParts = {
  readonly desk: Desk;
  readonly pairs: KnownPairs;
  readonly store: OrderStore;
  readonly openOrdersMax: () => number;
};

type Prepared = { readonly command: PlaceOrder; readonly pair: KnownPair };

/** Orders and cancellations of our own venue, from a request to its result. */
export function createVenueOrders({ desk, pairs, store, openOrdersMax }: OrderParts): VenueOrders {
  async function prepare({ userId: user }: Trader, order: NewOrder): Promise<Result<Prepared, TradingFailure>> {
    const pair = await pairs.findPair(order.pair);
    if (pair === undefined) return fail({ kind: "rejected", code: "pair_unknown", sequence: undefined });
    const command = orderCommand(order, { pair, user, openOrdersMax: openOrdersMax() });
    return command.ok ? ok({ command: command.value, pair }) : fail({ kind: "invalid", faults: command.reason });
  }

  /**
   * The order after the commit, with the fills of the commit. A repetition is answered with the current state of the
   * order that was placed first, so that one is read from the store.
   */
  async function placed(
    trader: Trader,
    { outcome, sequence }: Committed,
    pair: KnownPair,
  ): Promise<Result<PlacedOrder, TradingFailure>> {
    if (outcome.kind === "order") {
      const { order, trades } = outcome;
      const fills = trades.map((trade) => fillOf(trade, order.side, pair));
      return ok({ order: { ...orderOf(order, pair), fills, hasAllFills: true }, isRepetition: false, sequence });
    }
    assert(outcome.kind === "repetition", "an accepted order is new or a repetition");
    const order = (await desk.catchUp(trader)) ? await store.read(trader.userId, outcome.orderId) : undefined;
    return order === undefined ? fail({ kind: "behind", sequence }) : ok({ order, isRepetition: true, sequence });
  }

  /**
   * An open order keeps its pair's grid from changing, so this process knows the grid or finds it with the next read.
   * If it does not, the orders are cancelled but cannot be shown yet.
   */
  async function cancelled(
    trader: Trader,
    { outcome, sequence }: Committed,
  ): Promise<Result<readonly Order[], TradingFailure>> {
    assert(outcome.kind === "cancelled", "a cancellation reports the cancelled orders");
    const isKnown = () => outcome.orders.every(({ pair, grid }) => pairs.inGrid(pair, grid) !== undefined);
    if (!isKnown() && (await desk.catchUp(trader))) await pairs.refresh();
    if (!isKnown()) return fail({ kind: "behind", sequence });
    return ok(
      outcome.orders.flatMap((order) => {
        const pair = pairs.inGrid(order.pair, order.grid);
        return pair === undefined ? [] : [orderOf(order, pair)];
      }),
    );
  }

  /** The engine knows open orders only. Redis or the record can tell a user's own closed order from another user's. */
  async function cancelFailure(trader: Trader, orderId: number, failure: TradingFailure): Promise<TradingFailure> {
    if (failure.kind !== "rejected" || failure.code !== "order_not_open" || !(await desk.catchUp(trader)))
      return failure;
    return (await isOwn(trader.userId, orderId)) ? failure : { ...failure, code: "order_unknown" };
  }

  /**
   * While PostgreSQL is unavailable, the owner of an order that has left Redis is not known. It is not open in any
   * case.
   */
  async function isOwn(user: string, orderId: number): Promise<boolean> {
    try {
      return await store.isOwn(user, orderId);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return true;
      throw error;
    }
  }

  return {
    async placeOrder(trader, order) {
      const prepared = await prepare(trader, order);
      if (!prepared.ok) return prepared;
      const committed = await desk.submit(trader, prepared.value.command);
      return committed.ok ? placed(trader, committed.value, prepared.value.pair) : committed;
    },

    async placeOrders(trader, orders) {
      const all = await Promise.all(orders.map((order) => prepare(trader, order)));
      const submitted = await desk.submitAll(
        trader,
        all.map((prepared) => (prepared.ok ? prepared.value.command : undefined)),
      );
      return Promise.all(
        all.map(async (prepared, index) => {
          if (!prepared.ok) return prepared;
          const committed = submitted[index];
          assert(committed !== undefined, "every submitted command has a result");
          return committed.ok ? placed(trader, committed.value, prepared.value.pair) : committed;
        }),
      );
    },

    async cancelOrder(trader, name) {
      const ids = { orderId: 0, clientOrderId: "", ...name };
      const committed = await desk.submit(trader, { kind: "cancel", user: trader.userId, ...ids });
      if (!committed.ok)
        return "orderId" in name ? fail(await cancelFailure(trader, name.orderId, committed.reason)) : committed;
      const orders = await cancelled(trader, committed.value);
      if (!orders.ok) return orders;
      const [order] = orders.value;
      assert(order !== undefined, "an accepted cancellation has cancelled one order");
      return ok({ order, sequence: committed.value.sequence });
    },

    async cancelOrders(trader, { pair = "" }) {
      const committed = await desk.submit(trader, { kind: "cancelAll", user: trader.userId, pair });
      if (!committed.ok) return committed;
      const { outcome, sequence } = committed.value;
      const orders = await cancelled(trader, committed.value);
      return orders.ok
        ? ok({ orders: orders.value, hasMore: outcome.kind === "cancelled" && outcome.hasMore, sequence })
        : orders;
    },

    async readCommand(trader, commandId) {
      const known = await desk.outcomeOf(trader.userId, commandId);
      if (known.kind === "forgotten") return ok({ state: "notFound" });
      if (known.kind === "pending") return ok({ state: "pending" });
      const { outcome, sequence } = known;
      if (outcome.kind === "rejected") return ok({ state: "rejected", code: outcome.code });
      if (!(await desk.catchUp(trader))) return fail({ kind: "behind", sequence });
      return ok({ state: "done", orders: await store.readAll(trader.userId, orderIdsOf(outcome)) });
    },
  };
}

function orderIdsOf(outcome: Accepted): readonly number[] {
  switch (outcome.kind) {
    case "order":
      return [outcome.order.id];
    case "cancelled":
    case "list":
      return outcome.orders.map(({ id }) => id);
    case "replaced":
      return [outcome.cancelled, outcome.placed].flatMap((part) => (typeof part === "string" ? [] : [part.id]));
    case "repetition":
      return outcome.orderId === 0 ? [] : [outcome.orderId];
    case "cancelAfter":
    case "done":
      return [];
  }
}
