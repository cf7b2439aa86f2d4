import type { BalanceRow, OrderRow, TradeRow } from "../../../origin/engine/changes.ts";
import type { Command } from "../../../origin/engine/command.ts";
import type { Outcome } from "../../../origin/engine/outcome.ts";
import { assert } from "../../../shared/assert.ts";
import { bareBook } from "./engine-bare-book.ts";
import type { Prepare } from "./engine-books.ts";
import { AT_MS, BATCH, commandsOf, openEngine, PAIR } from "./engine-venue.ts";

/**
 * A lower bound for any engine with these answers: only the book, plus as many rows and outcomes per command as the
 * engine made, filled with constants. No balances, no checks, no memory of names.
 */
export const floorOfEngine: Prepare = (file) => {
  const book = bareBook(file);
  const made = countMade(commandsOf(file));
  let seen = 0;
  let last: Outcome | undefined;
  return {
    play(from, to) {
      let orders: OrderRow[] = [];
      let trades: TradeRow[] = [];
      for (let next = from; next < to; next++) {
        book.play(next, next + 1);
        for (let row = made.orders[next] as number; row > 0; row--) orders.push(orderRow(next));
        for (let row = made.trades[next] as number; row > 0; row--) trades.push(tradeRow(next));
        last = outcome(orders, trades);
        if (next % BATCH !== 0 && next !== to - 1) continue;
        seen += orders.length + trades.length + balanceRows(made.balances[next] as number).length;
        orders = [];
        trades = [];
      }
    },
    lotsLeft() {
      assert(seen > 0 && last !== undefined, "the rows are read, or the compiler could drop them");
      return book.lotsLeft();
    },
  };
};

/** Rows of orders and trades by command; rows of balances at the last command of a batch. */
type Made = { readonly orders: Uint16Array; readonly trades: Uint16Array; readonly balances: Uint16Array };

function countMade(commands: readonly Command[]): Made {
  const engine = openEngine();
  const made: Made = {
    orders: new Uint16Array(commands.length),
    trades: new Uint16Array(commands.length),
    balances: new Uint16Array(commands.length),
  };
  let told = 0;
  commands.forEach((command, index) => {
    const outcome = engine.apply(command);
    made.trades[index] = outcome.kind === "order" ? outcome.trades.length : 0;
    made.orders[index] = outcome.kind === "order" || outcome.kind === "cancelled" ? 1 : 0;
    told += made.orders[index] as number;
    if (index % BATCH !== 0 && index !== commands.length - 1) return;
    const { orders, balances } = engine.takeChanges();
    made.balances[index] = balances.length;
    // Orders that only others matched are reported with the batch.
    made.orders[index] = (made.orders[index] as number) + Math.max(0, orders.length - told);
    told = 0;
  });
  return made;
}

function orderRow(index: number): OrderRow {
  return {
    id: index,
    user: "user",
    pair: PAIR,
    grid: 1,
    side: "buy",
    type: "limit",
    timeInForce: "GTC",
    postOnly: false,
    ticks: index,
    lots: index,
    quoteAmount: 0n,
    filledLots: 0,
    filledValue: 0n,
    feePaid: 0n,
    status: "open",
    cancelReason: "",
    clientOrderId: "",
    createdAt: AT_MS + index,
    updatedAt: AT_MS + index,
  };
}

function tradeRow(index: number): TradeRow {
  return {
    id: index,
    pair: PAIR,
    grid: 1,
    at: AT_MS + index,
    ticks: index,
    lots: index,
    value: 0n,
    takerSide: "buy",
    buyOrderId: index,
    sellOrderId: index,
    buyUser: "buyer",
    sellUser: "seller",
    buyFee: 0n,
    sellFee: 0n,
    auction: 0,
  };
}

function balanceRows(count: number): readonly BalanceRow[] {
  const rows: BalanceRow[] = [];
  for (let row = 0; row < count; row++) rows.push({ user: "user", currency: "idr", available: 0n, frozen: 0n });
  return rows;
}

function outcome(orders: readonly OrderRow[], trades: readonly TradeRow[]): Outcome {
  const order = orders.at(-1);
  return order === undefined ? { kind: "done" } : { kind: "order", order, trades };
}
