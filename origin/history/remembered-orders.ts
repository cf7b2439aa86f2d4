import type { OrderRow } from "../engine/changes.ts";

/**
 * Orders that were looked up a short while ago, and ids under which there is none. An ended order does not change any more, so what is remembered is
 * exact; and a caller who asks for the same id again and again, whoever's it is, costs PostgreSQL and the archive one look.
 */
type RememberedOrders = {
  /** null: there is no such order. undefined: not known here. */
  readonly get: (orderId: number) => OrderRow | null | undefined;
  readonly put: (orderId: number, order: OrderRow | null) => void;
};

/** About 2 MB. */
const ORDERS_MAX = 5_000;

export function createRememberedOrders(ordersMax = ORDERS_MAX): RememberedOrders {
  const orders = new Map<number, OrderRow | null>();
  return {
    get: (orderId) => orders.get(orderId),
    put(orderId, order) {
      orders.delete(orderId);
      orders.set(orderId, order);
      const [oldest] = orders.keys();
      if (orders.size > ordersMax && oldest !== undefined) orders.delete(oldest);
    },
  };
}
