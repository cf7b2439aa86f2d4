import type { Changes, ListRow, OrderRow } from "../../origin/engine/changes.ts";
import { insist } from "../objection.ts";
import type { NaiveVenue } from "./naive-venue.ts";

/** The facts known of a run, from the engine's rows. */
export type Observed = {
  /** The last row of every order and list. */
  readonly seen: { readonly orders: Map<number, OrderRow>; readonly lists: Map<number, ListRow> };
  readonly venue: NaiveVenue;
  readonly tally: Map<string, number>;
};

/** How conditional orders have ended, from the engine's own rows. */
export function countEnds({ tally, seen }: Observed, { orders, lists = [] }: Changes): void {
  for (const row of lists) seen.lists.set(row.id, row);
  for (const row of orders) {
    seen.orders.set(row.id, row);
    if (row.conditions === undefined || ["pending", "open", "partiallyFilled"].includes(row.status)) continue;
    const what = `${row.conditions.role === "" ? "conditional" : "listed"} ${row.status} ${row.cancelReason}`.trim();
    tally.set(what, (tally.get(what) ?? 0) + 1);
  }
}

/** Of two orders that exclude each other at most one has traded, and no exit has sold more than its buy received. */
export function checkLists({ seen, venue, tally }: Observed): void {
  for (const list of seen.lists.values()) {
    const members = list.orderIds.flatMap((id) => seen.orders.get(id) ?? []);
    const legs = members.filter(({ conditions }) => conditions?.role === "above" || conditions?.role === "below");
    const traded = legs.filter(({ filledLots }) => filledLots > 0);
    insist(traded.length <= 1, `both orders of list ${list.id} have traded`);
    if (list.kind !== "exit") continue;
    const buy = members.find(({ id }) => id === list.orderIds[0]);
    const { lotSteps = 1n } = venue.pairs.find(({ terms }) => terms.pair === list.pair)?.terms ?? {};
    const received = BigInt(buy?.filledLots ?? 0) * lotSteps - (buy?.feePaid ?? 0n);
    const sold = BigInt(traded[0]?.filledLots ?? 0) * lotSteps;
    insist(sold <= received, `the exit of order ${buy?.id} has sold ${sold}, and the buy received ${received}`);
    if (sold > 0n) tally.set("exit that sold", (tally.get("exit that sold") ?? 0) + 1);
  }
}
