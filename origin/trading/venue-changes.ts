import { assert } from "../../shared/assert.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { type KnownPair, readLots } from "../instruments/grid.ts";
import type { ChangePort, ReplacedOrder } from "./change-port.ts";
import type { Committed } from "./desk.ts";
import { createOrderResults, type OrderParts, withFills } from "./order-results.ts";
import type { Trader, TradingFailure } from "./trading-port.ts";

/** Changes of orders at our own venue, from a request to its result. */
export function createVenueChanges(parts: OrderParts): ChangePort {
  const { desk, pairs, store } = parts;
  const { prepare, placed, shown, ownFailure } = createOrderResults(parts);

  async function replaced(
    trader: Trader,
    committed: Committed,
    pair: KnownPair,
  ): Promise<Result<ReplacedOrder, TradingFailure>> {
    const { outcome, sequence } = committed;
    if (outcome.kind === "repetition") {
      const again = await placed(trader, committed, pair);
      return again.ok ? ok({ cancelled: undefined, placed: again.value.order, isRepetition: true, sequence }) : again;
    }
    assert(outcome.kind === "replaced", "an accepted replacement reports both orders");
    const { cancelled, placed: row, trades } = outcome;
    const rows = await shown(trader, { orders: typeof cancelled === "string" ? [] : [cancelled], sequence });
    if (!rows.ok) return rows;
    return ok({
      cancelled: typeof cancelled === "string" ? cancelled : rows.value[0],
      placed: typeof row === "string" ? row : withFills(row, trades, pair),
      isRepetition: false,
      sequence,
    });
  }

  return {
    /** An open order keeps its pair's grid from changing, so the current one is that of the order. */
    async amendOrder(trader, { orderId, quantity }) {
      if (!(await desk.catchUp(trader))) return fail({ kind: "behind", sequence: undefined });
      const order = await store.find(trader.userId, orderId);
      const pair = order && (await pairs.findPair(order.pair));
      if (pair === undefined) return fail({ kind: "rejected", code: "order_unknown", sequence: undefined });
      const lots = readLots(quantity, pair);
      if (!lots.ok)
        return fail({ kind: "invalid", faults: [{ field: "quantity", rule: "number", message: lots.reason }] });
      const names = { user: trader.userId, orderId, clientOrderId: "" };
      const committed = await desk.submit(trader, { kind: "amend", ...names, lots: lots.value });
      if (!committed.ok) return committed;
      const { outcome, sequence } = committed.value;
      assert(outcome.kind === "order", "an accepted amendment reports the order");
      const orders = await shown(trader, { orders: [outcome.order], sequence });
      if (!orders.ok) return orders;
      const [amended] = orders.value;
      assert(amended !== undefined, "the amended order is shown");
      return ok({ order: amended, sequence });
    },

    async replaceOrder(trader, { name, order, onFailure }) {
      const prepared = await prepare(trader, order);
      if (!prepared.ok) return prepared;
      const { command, pair } = prepared.value;
      const ids = { orderId: 0, clientOrderId: "", ...name };
      const committed = await desk.submit(trader, {
        ...{ kind: "replace", user: trader.userId, ...ids, order: command, onFailure },
      });
      if (committed.ok) return replaced(trader, committed.value, pair);
      return "orderId" in name ? fail(await ownFailure(trader, name.orderId, committed.reason)) : committed;
    },

    async cancelAfter(trader, seconds) {
      const command = { kind: "cancelAfter", user: trader.userId, afterMs: seconds * 1_000 } as const;
      const committed = await desk.submit(trader, command);
      if (!committed.ok) return committed;
      const { outcome, sequence } = committed.value;
      assert(outcome.kind === "cancelAfter", "the switch reports its time");
      return ok({ cancelAt: outcome.cancelAt === 0 ? null : outcome.cancelAt, sequence });
    },
  };
}
