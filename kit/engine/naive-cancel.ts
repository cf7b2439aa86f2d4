import type { CancelAll, CancelOrder } from "../../origin/engine/command.ts";
import type { Outcome } from "../../origin/engine/outcome.ts";
import { cancelOne, isOpen, no, said } from "./naive-parts.ts";
import type { NaiveVenue } from "./naive-venue.ts";

export function naiveCancel(venue: NaiveVenue, { user, orderId, clientOrderId }: CancelOrder): Outcome {
  if ((orderId !== 0 && clientOrderId !== "") || (orderId === 0 && clientOrderId === "")) return no("command_invalid");
  if (!venue.users.some(({ name }) => name === user)) return no("order_unknown");
  if (orderId !== 0) {
    const order = venue.orders.find(({ id }) => id === orderId);
    if (!order) return no("order_unknown");
    if (order.user !== user || !isOpen(order)) return no("order_not_open");
    cancelOne(venue, order, "user");
    return { kind: "cancelled", orders: [{ ...order }], hasMore: false };
  }
  const order = venue.orders.find((one) => one.user === user && one.clientOrderId === clientOrderId && isOpen(one));
  if (!order) return no(said(venue, { kind: "order", user, name: clientOrderId }) ? "order_not_open" : "order_unknown");
  cancelOne(venue, order, "user");
  return { kind: "cancelled", orders: [{ ...order }], hasMore: false };
}

export function naiveCancelAll(venue: NaiveVenue, { user, pair }: CancelAll): Outcome {
  if (pair !== "" && !venue.pairs.some(({ terms }) => terms.pair === pair)) return no("pair_unknown");
  const theirs = venue.orders.filter(
    (order) => isOpen(order) && order.user === user && (pair === "" || order.pair === pair),
  );
  theirs.sort((a, b) => (a.pair === b.pair ? a.id - b.id : a.pair < b.pair ? -1 : 1));
  const gone = theirs.slice(0, venue.bounds.cancelsMax);
  for (const order of gone) cancelOne(venue, order, "user");
  return { kind: "cancelled", orders: gone.map((order) => ({ ...order })), hasMore: gone.length < theirs.length };
}
