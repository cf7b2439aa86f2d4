import { assert } from "../../shared/assert.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { DatabaseUnavailable } from "../db/database.ts";
import type { Committed } from "./desk.ts";
import { listCommand, pairOfList } from "./list-command.ts";
import type { CancelledList, List, ListPort, PlacedList } from "./list-port.ts";
import { type ListStore, listOf } from "./list-store.ts";
import { createOrderResults, type OrderParts } from "./order-results.ts";
import type { Trader, TradingFailure } from "./trading-port.ts";

type ListParts = OrderParts & { readonly lists: ListStore };

/** Order lists at our own venue, from a request to its result. */
export function createVenueLists(parts: ListParts): Pick<ListPort, "placeList" | "cancelList"> {
  const { desk, pairs, store, lists, openOrdersMax } = parts;
  const { shown } = createOrderResults(parts);

  /** The current state; undefined if it cannot be read yet. */
  async function current(trader: Trader, listId: number): Promise<List | undefined> {
    return (await desk.catchUp(trader)) ? lists.read(trader.userId, listId) : undefined;
  }

  /** A list without a name of its own is known by the name of one of its orders. */
  async function repeated(trader: Trader, id: number): Promise<List | undefined> {
    const list = await current(trader, id);
    if (list !== undefined) return list;
    const order = await store.find(trader.userId, id);
    return order?.listId === undefined ? undefined : lists.read(trader.userId, Number(order.listId));
  }

  async function placed(trader: Trader, { outcome, sequence }: Committed): Promise<Result<PlacedList, TradingFailure>> {
    if (outcome.kind === "repetition") {
      const list = await repeated(trader, outcome.orderId);
      return list === undefined ? fail({ kind: "behind", sequence }) : ok({ list, isRepetition: true, sequence });
    }
    assert(outcome.kind === "list", "an accepted list is new or a repetition");
    const orders = await shown(trader, { orders: outcome.orders, sequence });
    return orders.ok ? ok({ list: listOf(outcome.list, orders.value), isRepetition: false, sequence }) : orders;
  }

  /** The engine knows active lists only. */
  async function ownFailure(trader: Trader, listId: number, failure: TradingFailure): Promise<TradingFailure> {
    if (failure.kind !== "rejected" || failure.code !== "list_not_active" || !(await desk.catchUp(trader)))
      return failure;
    try {
      return (await lists.isOwn(trader.userId, listId)) ? failure : { ...failure, code: "list_unknown" };
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return failure;
      throw error;
    }
  }

  /** All orders of the outcome are of the list: its id is one of theirs. */
  async function cancelled(
    trader: Trader,
    { outcome, sequence }: Committed,
  ): Promise<Result<CancelledList, TradingFailure>> {
    assert(outcome.kind === "cancelled", "a cancellation reports the cancelled orders");
    const listId = outcome.orders[0]?.conditions?.listId;
    assert(listId !== undefined, "a cancelled list has had an order");
    const list = await current(trader, listId);
    return list === undefined ? fail({ kind: "behind", sequence }) : ok({ list, sequence });
  }

  return {
    async placeList(trader, list) {
      const name = pairOfList(list);
      if (name === undefined)
        return fail({ kind: "invalid", faults: [{ field: "pair", rule: "missing", message: "is required" }] });
      const pair = await pairs.findPair(name);
      if (pair === undefined) return fail({ kind: "rejected", code: "pair_unknown", sequence: undefined });
      const command = listCommand(list, { pair, user: trader.userId, openOrdersMax: openOrdersMax() });
      if (!command.ok) return fail({ kind: "invalid", faults: command.reason });
      const committed = await desk.submit(trader, command.value);
      return committed.ok ? placed(trader, committed.value) : committed;
    },

    async cancelList(trader, name) {
      const ids = { listId: 0, clientListId: "", ...name };
      const committed = await desk.submit(trader, { kind: "cancelList", user: trader.userId, ...ids });
      if (committed.ok) return cancelled(trader, committed.value);
      return "listId" in name ? fail(await ownFailure(trader, name.listId, committed.reason)) : committed;
    },
  };
}
