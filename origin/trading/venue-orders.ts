import { assert } from "../../shared/assert.ts";
import { fail, ok } from "../../shared/result.ts";
import type { Accepted } from "./desk.ts";
import { createOrderResults, type OrderParts } from "./order-results.ts";
import type { OrderPort } from "./trading-port.ts";

type VenueOrders = Pick<OrderPort, "placeOrder" | "placeOrders" | "cancelOrder" | "cancelOrders" | "readCommand">;

/** Orders and cancellations of our own venue, from a request to its result. */
export function createVenueOrders(parts: OrderParts): VenueOrders {
  const { desk, store } = parts;
  const { prepare, placed, shown, ownFailure } = createOrderResults(parts);

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

    /** Other orders of the same list end with it. */
    async cancelOrder(trader, name) {
      const ids = { orderId: 0, clientOrderId: "", ...name };
      const committed = await desk.submit(trader, { kind: "cancel", user: trader.userId, ...ids });
      if (!committed.ok)
        return "orderId" in name ? fail(await ownFailure(trader, name.orderId, committed.reason)) : committed;
      const { outcome, sequence } = committed.value;
      assert(outcome.kind === "cancelled", "a cancellation reports the cancelled orders");
      const orders = await shown(trader, { orders: outcome.orders, sequence });
      if (!orders.ok) return orders;
      const isNamed = "orderId" in name ? ({ id }: { id: string }) => Number(id) === name.orderId : isOf(name);
      const order = orders.value.find(isNamed);
      assert(order !== undefined, "an accepted cancellation has cancelled the order");
      return ok({ order, sequence });
    },

    async cancelOrders(trader, { pair = "" }) {
      const committed = await desk.submit(trader, { kind: "cancelAll", user: trader.userId, pair });
      if (!committed.ok) return committed;
      const { outcome, sequence } = committed.value;
      assert(outcome.kind === "cancelled", "a cancellation reports the cancelled orders");
      const orders = await shown(trader, { orders: outcome.orders, sequence });
      return orders.ok ? ok({ orders: orders.value, hasMore: outcome.hasMore, sequence }) : orders;
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

const isOf =
  ({ clientOrderId }: { readonly clientOrderId: string }) =>
  (order: { readonly clientOrderId: string | null }) =>
    order.clientOrderId === clientOrderId;

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
