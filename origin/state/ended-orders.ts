import { z } from "zod";
import type { OrderRow } from "../engine/changes.ts";

/**
 * Ended orders and order lists, as one member of the list in Redis by which they are forgotten: the journal entry by
 * which all of them had ended, the time of that entry, and those of each user. Orders and lists share their numbers; the
 * id of a list is negative here. A member holds each user's id once, and is forgotten as a whole. In members made by an
 * upgrade the user is empty: the order itself has it.
 */
export type EndedOrders = {
  readonly sequence: number;
  readonly at: number;
  readonly ofUsers: readonly (readonly [user: string, ...ids: number[]])[];
};

/** Forgetting so many blocks Redis for some tenths of a millisecond. */
const ORDERS_MAX = 200;

type Ending = Pick<EndedOrders, "sequence" | "at">;

type Ended = Pick<OrderRow, "id" | "user">;

/** One text for each member, in the order in which they are given. */
export function endedTexts(orders: readonly Ended[], { sequence, at }: Ending): string[] {
  const texts: string[] = [];
  for (let from = 0; from < orders.length; from += ORDERS_MAX) {
    const ofUsers = new Map<string, [string, ...number[]]>();
    for (const { id, user } of orders.slice(from, from + ORDERS_MAX)) {
      const ofUser = ofUsers.get(user);
      if (ofUser === undefined) ofUsers.set(user, [user, id]);
      else ofUser.push(id);
    }
    texts.push(JSON.stringify([sequence, at, ...ofUsers.values()]));
  }
  return texts;
}

const endedSchema = z.tuple([z.int(), z.int()], z.tuple([z.string()], z.int()));

export function endedFrom(text: string): EndedOrders {
  const [sequence, at, ...ofUsers] = endedSchema.parse(JSON.parse(text));
  return { sequence, at, ofUsers };
}

export const endedList = ({ id, user }: Ended): Ended => ({ id: -id, user });

/** Of orders and, negative, of order lists. */
export function idsOf({ ofUsers }: EndedOrders): readonly number[] {
  return ofUsers.flatMap(([, ...ids]) => ids);
}

/** The ids of orders, and those of order lists, without their sign. */
export function ordersAndLists(ids: readonly number[]): { readonly orders: number[]; readonly lists: number[] } {
  return { orders: ids.filter((id) => id > 0), lists: ids.flatMap((id) => (id < 0 ? [-id] : [])) };
}
