import type { PrivateChannel } from "../../../shared/live/channel-names.ts";
import type { BalanceRow, Changes, OrderRow, TradeRow } from "../../engine/changes.ts";
import { amountText } from "../../instruments/amounts.ts";
import type { Grids } from "../../instruments/grids.ts";
import type { Balance } from "../../trading/trading-port.ts";
import { fillOf, orderOf } from "../../trading/views.ts";

/** The rows of one user in one journal entry, in the order of the entry. */
export type UserRows = {
  readonly orders: OrderRow[];
  readonly balances: BalanceRow[];
  readonly trades: { readonly trade: TradeRow; readonly side: "buy" | "sell" }[];
};

/** Of the users that are wanted, those that an entry concerns. */
export function rowsOfUsers(changes: Changes, isWanted: (user: string) => boolean): ReadonlyMap<string, UserRows> {
  const found = new Map<string, UserRows>();
  const of = (user: string): UserRows | undefined => {
    if (!isWanted(user)) return undefined;
    const known = found.get(user) ?? { orders: [], balances: [], trades: [] };
    found.set(user, known);
    return known;
  };
  for (const order of changes.orders) of(order.user)?.orders.push(order);
  for (const balance of changes.balances) of(balance.user)?.balances.push(balance);
  for (const trade of changes.trades) {
    of(trade.buyUser)?.trades.push({ trade, side: "buy" });
    of(trade.sellUser)?.trades.push({ trade, side: "sell" });
  }
  return found;
}

/** The data of an update; undefined when the entry changes nothing in this channel. */
export function updateData(channel: PrivateChannel, rows: UserRows, grids: Grids): string | undefined {
  switch (channel) {
    case "orders":
      return listed(
        "orders",
        rows.orders.map((order) => orderOf(order, grids.of(order.pair, order.grid))),
      );
    case "balances":
      return listed(
        "balances",
        rows.balances.map((balance) => balanceOf(balance, grids)),
      );
    // Sums, which each subscription keeps for itself.
    case "positions":
      return undefined;
    case "trades":
      return listed(
        "trades",
        rows.trades.map(({ trade, side }) => fillOf(trade, side, grids.of(trade.pair, trade.grid))),
      );
  }
}

function listed(name: string, rows: readonly unknown[]): string | undefined {
  return rows.length === 0 ? undefined : JSON.stringify({ [name]: rows });
}

export function balanceOf({ currency, available, frozen }: BalanceRow, grids: Grids): Balance {
  const scale = grids.scaleOf(currency);
  return {
    currency,
    available: amountText(available, scale),
    frozen: amountText(frozen, scale),
    total: amountText(available + frozen, scale),
  };
}
