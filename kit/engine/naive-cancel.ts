import type { CancelAll, CancelOrder } from "../../origin/engine/command.ts";
import type { Outcome, RejectCode } from "../../origin/engine/outcome.ts";
import { naiveHold } from "./naive-auction.ts";
import { cancelOne, isOpen, no, said } from "./naive-parts.ts";
import type { NaiveOrder, NaiveVenue } from "./naive-venue.ts";

export function naiveCancel(venue: NaiveVenue, command: CancelOrder): Outcome {
  const found = orderToCancel(venue, command);
  if (typeof found === "string") return no(found);
  const hold = naiveHold(venue, found.pair);
  if (hold) return no(hold);
  cancelOne(venue, found, "user");
  return { kind: "cancelled", orders: [{ ...found }], hasMore: false };
}

function orderToCancel(venue: NaiveVenue, { user, orderId, clientOrderId }: CancelOrder): NaiveOrder | RejectCode {
  if ((orderId !== 0 && clientOrderId !== "") || (orderId === 0 && clientOrderId === "")) return "command_invalid";
  if (!venue.users.some(({ name }) => name === user)) return "order_unknown";
  if (orderId !== 0) {
    const order = venue.orders.find(({ id }) => id === orderId);
    if (!order) return "order_unknown";
    return order.user !== user || !isOpen(order) ? "order_not_open" : order;
  }
  const order = venue.orders.find((one) => one.user === user && one.clientOrderId === clientOrderId && isOpen(one));
  if (order) return order;
  return said(venue, { kind: "order", user, name: clientOrderId }) ? "order_not_open" : "order_unknown";
}

export function naiveCancelAll(venue: NaiveVenue, { user, pair }: CancelAll): Outcome {
  if (pair !== "" && !venue.pairs.some(({ terms }) => terms.pair === pair)) return no("pair_unknown");
  const hold = venue.users.some(({ name }) => name === user) ? naiveHold(venue, pair) : undefined;
  if (hold) return no(hold);
  const theirs = venue.orders.filter(
    (order) =>
      isOpen(order) && order.user === user && (pair === "" ? !naiveHold(venue, order.pair) : order.pair === pair),
  );
  theirs.sort((a, b) => (a.pair === b.pair ? a.id - b.id : a.pair < b.pair ? -1 : 1));
  const gone = theirs.slice(0, venue.bounds.cancelsMax);
  for (const order of gone) cancelOne(venue, order, "user");
  return { kind: "cancelled", orders: gone.map((order) => ({ ...order })), hasMore: gone.length < theirs.length };
}
