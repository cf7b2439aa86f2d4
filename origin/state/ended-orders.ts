import { z } from "zod";
import type { OrderRow } from "../engine/changes.ts";

/**
 * Ended orders, as one member of the list in Redis by which they are forgotten: the journal entry by which all of them
 * had ended, the time of that entry, and the orders of each user. A member holds each user's id once, and is forgotten
 * as a whole. In members made by an upgrade the user is empty: the order itself has it.
 */
export type EndedOrders = {
  readonly sequence: number;
  readonly at: number;
  readonly ofUsers: readonly (readonly [user: string, ...orderIds: number[]])[];
};

/** Forgetting so many blocks Redis for some tenths of a millisecond. */
const ORDERS_MAX = 200;

type Ending = Pick<EndedOrders, "sequence" | "at">;

/** One text for each member, in the order of the orders' ids. */
export function endedTexts(orders: readonly Pick<OrderRow, "id" | "user">[], { sequence, at }: Ending): string[] {
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

export function idsOf({ ofUsers }: EndedOrders): readonly number[] {
  return ofUsers.flatMap(([, ...ids]) => ids);
}
