import type { CancelAll, CancelList, CancelOrder } from "../../origin/engine/command.ts";
import type { Outcome, RejectCode } from "../../origin/engine/outcome.ts";
import { naiveHold } from "./naive-auction.ts";
import { cancelTheList, cancelWithList, membersOf } from "./naive-lists.ts";
import { copyOf, isAlive, no, said } from "./naive-parts.ts";
import type { NaiveOrder, NaiveVenue } from "./naive-venue.ts";

export function naiveCancel(venue: NaiveVenue, command: CancelOrder): Outcome {
  const found = orderMeant(venue, command);
  if (typeof found === "string") return no(found);
  return { kind: "cancelled", orders: cancelWithList(venue, found, "user").map(copyOf), hasMore: false };
}

/** The open or pending order that a user means. */
export function orderMeant(
  venue: NaiveVenue,
  { user, orderId, clientOrderId }: Pick<CancelOrder, "user" | "orderId" | "clientOrderId">,
): NaiveOrder | RejectCode {
  if ((orderId !== 0 && clientOrderId !== "") || (orderId === 0 && clientOrderId === "")) return "command_invalid";
  if (!venue.users.some(({ name }) => name === user)) return "order_unknown";
  const theirs = venue.orders.filter((one) => one.user === user && isAlive(one));
  const order = theirs.find((one) => (orderId === 0 ? one.clientOrderId === clientOrderId : one.id === orderId));
  if (order) return naiveHold(venue, order.pair) ?? order;
  if (orderId !== 0)
    return Number.isSafeInteger(orderId) && orderId > 0 && orderId < venue.nextNumber
      ? "order_not_open"
      : "order_unknown";
  return said(venue, { kind: "order", user, name: clientOrderId }) ? "order_not_open" : "order_unknown";
}

export function naiveCancelAll(venue: NaiveVenue, { user, pair }: CancelAll): Outcome {
  if (pair !== "" && !venue.pairs.some(({ terms }) => terms.pair === pair)) return no("pair_unknown");
  const hold = venue.users.some(({ name }) => name === user) ? naiveHold(venue, pair) : undefined;
  if (hold) return no(hold);
  const { gone, hasMore } = cancelOldest(venue, { user, pair, max: venue.bounds.cancelsMax, reason: "user" });
  return { kind: "cancelled", orders: gone.map(copyOf), hasMore };
}

type Oldest = {
  readonly user: string;
  readonly pair: string;
  readonly max: number;
  readonly reason: NaiveOrder["cancelReason"];
};

export function cancelOldest(venue: NaiveVenue, { user, pair, max, reason }: Oldest) {
  const theirs = () =>
    venue.orders
      .filter(
        (order) =>
          isAlive(order) && order.user === user && (pair === "" ? !naiveHold(venue, order.pair) : order.pair === pair),
      )
      .sort((a, b) => (a.pair === b.pair ? a.id - b.id : a.pair < b.pair ? -1 : 1));
  const gone: NaiveOrder[] = [];
  for (let [first] = theirs(); first && gone.length < max; [first] = theirs())
    gone.push(...cancelWithList(venue, first, reason));
  return { gone, hasMore: theirs().length > 0 };
}

export function naiveCancelList(venue: NaiveVenue, { user, listId, clientListId }: CancelList): Outcome {
  if ((listId !== 0 && clientListId !== "") || (listId === 0 && clientListId === "")) return no("command_invalid");
  if (!venue.users.some(({ name }) => name === user)) return no("list_unknown");
  const id = listId === 0 ? (said(venue, { kind: "list", user, name: clientListId })?.orderId ?? 0) : listId;
  if (!(Number.isSafeInteger(id) && id > 0 && id < venue.nextNumber)) return no("list_unknown");
  const list = venue.lists.find((one) => one.id === id && one.user === user);
  if (!list || membersOf(venue, list).length === 0) return no("list_not_active");
  const hold = naiveHold(venue, list.pair);
  if (hold) return no(hold);
  return { kind: "cancelled", orders: cancelTheList(venue, list).map(copyOf), hasMore: false };
}
