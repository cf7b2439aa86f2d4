import { assert } from "../../shared/assert.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { DatabaseUnavailable } from "../db/database.ts";
import type { OrderRow, TradeRow } from "../engine/changes.ts";
import type { PlaceOrder } from "../engine/command.ts";
import type { KnownPair } from "../instruments/grid.ts";
import type { KnownPairs } from "../state/known-pairs.ts";
import type { Committed, Desk } from "./desk.ts";
import { orderCommand } from "./order-command.ts";
import type { OrderStore } from "./order-store.ts";
import type { NewOrder, Order, OrderWithFills, PlacedOrder, Trader, TradingFailure } from "./trading-port.ts";
import { fillOf, orderOf } from "./views.ts";

export type OrderParts = {
  readonly desk: Desk;
  readonly pairs: KnownPairs;
  readonly store: OrderStore;
  readonly openOrdersMax: () => number;
};

type Prepared = { readonly command: PlaceOrder; readonly pair: KnownPair };

/** From a request about orders to its command, and from the command's outcome to the result. */
export type OrderResults = {
  readonly prepare: (trader: Trader, order: NewOrder) => Promise<Result<Prepared, TradingFailure>>;
  /** Of a command that places one order. */
  readonly placed: (
    trader: Trader,
    committed: Committed,
    pair: KnownPair,
  ) => Promise<Result<PlacedOrder, TradingFailure>>;
  /** Orders of this commit, in the order in which they are given. */
  readonly shown: (trader: Trader, commit: OfCommit) => Promise<Result<readonly Order[], TradingFailure>>;
  /** The failure of a command about one order: another user's order is an unknown one. */
  readonly ownFailure: (trader: Trader, orderId: number, failure: TradingFailure) => Promise<TradingFailure>;
};

type OfCommit = { readonly orders: readonly OrderRow[]; readonly sequence: number };

export function createOrderResults({ desk, pairs, store, openOrdersMax }: OrderParts): OrderResults {
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
    async prepare({ userId: user }, order) {
      const pair = await pairs.findPair(order.pair);
      if (pair === undefined) return fail({ kind: "rejected", code: "pair_unknown", sequence: undefined });
      const command = orderCommand(order, { pair, user, openOrdersMax: openOrdersMax() });
      return command.ok ? ok({ command: command.value, pair }) : fail({ kind: "invalid", faults: command.reason });
    },

    /**
     * The order after the commit, with the fills of the commit. A repetition is answered with the current state of the
     * order that was placed first, so that one is read from the store.
     */
    async placed(trader, { outcome, sequence }, pair) {
      if (outcome.kind === "order")
        return ok({ order: withFills(outcome.order, outcome.trades, pair), isRepetition: false, sequence });
      assert(outcome.kind === "repetition", "an accepted order is new or a repetition");
      const order = (await desk.catchUp(trader)) ? await store.read(trader.userId, outcome.orderId) : undefined;
      return order === undefined ? fail({ kind: "behind", sequence }) : ok({ order, isRepetition: true, sequence });
    },

    /**
     * An open order keeps its pair's grid from changing, so this process knows the grid or finds it with the next read.
     * If it does not, the command is done but its orders cannot be shown yet.
     */
    async shown(trader, { orders, sequence }) {
      const isKnown = () => orders.every(({ pair, grid }) => pairs.inGrid(pair, grid) !== undefined);
      if (!isKnown() && (await desk.catchUp(trader))) await pairs.refresh();
      if (!isKnown()) return fail({ kind: "behind", sequence });
      return ok(
        orders.flatMap((order) => {
          const pair = pairs.inGrid(order.pair, order.grid);
          return pair === undefined ? [] : [orderOf(order, pair)];
        }),
      );
    },

    /** The engine knows open orders only. Redis or the record can tell a user's own closed order from another user's. */
    async ownFailure(trader, orderId, failure) {
      if (failure.kind !== "rejected" || failure.code !== "order_not_open" || !(await desk.catchUp(trader)))
        return failure;
      return (await isOwn(trader.userId, orderId)) ? failure : { ...failure, code: "order_unknown" };
    },
  };
}

export function withFills(order: OrderRow, trades: readonly TradeRow[], pair: KnownPair): OrderWithFills {
  const fills = trades.map((trade) => fillOf(trade, order.side, pair));
  return { ...orderOf(order, pair), fills, hasAllFills: true };
}
