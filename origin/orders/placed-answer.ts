import { assert } from "../../shared/assert.ts";
import type { KnownPair } from "../pairs/pair-numbers.ts";
import type { Accepted } from "./desk.ts";
import { fillOf, type OrderWithFills, orderAnswer } from "./order-answer.ts";
import type { OrderStore } from "./order-store.ts";

export type Placed = { readonly status: 200 | 201; readonly order: OrderWithFills };

type Reading = {
  readonly user: string;
  readonly pair: KnownPair;
  readonly store: OrderStore;
  /** Whether what was just committed can be read. */
  readonly catchUp: () => Promise<boolean>;
};

/**
 * The order after the commit, with the fills of the commit. For a repetition it is the order that was placed the first time, as it stands
 * now: what has happened to it since belongs to the answer, so it is read like any other. Undefined when it cannot be read yet.
 */
export async function placedAnswer(outcome: Accepted, { user, pair, store, catchUp }: Reading): Promise<Placed | undefined> {
  if (outcome.kind === "order") {
    const { order, trades } = outcome;
    const fills = trades.map((trade) => fillOf(trade, order.side, pair));
    return { status: 201, order: { ...orderAnswer(order, pair), fills, hasAllFills: true } };
  }
  assert(outcome.kind === "repetition", "an order that was accepted is new or a repetition");
  const order = (await catchUp()) ? await store.read(user, outcome.orderId) : undefined;
  return order === undefined ? undefined : { status: 200, order };
}
