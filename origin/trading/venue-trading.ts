import type { Redis } from "ioredis";
import { fail, ok, type Result } from "../../shared/result.ts";
import { readAmount } from "../instruments/amounts.ts";
import type { History } from "../record/history/history.ts";
import type { KnownPairs } from "../state/known-pairs.ts";
import type { Desk } from "./desk.ts";
import { openListStore } from "./list-store.ts";
import { openMarketStore } from "./market-store.ts";
import { openOrderStore } from "./order-store.ts";
import { openTradeStore } from "./trade-store.ts";
import type { MarketPort, Reader, TradingFailure, TradingPort, WalletPort } from "./trading-port.ts";
import { createVenueChanges } from "./venue-changes.ts";
import { createVenueLists } from "./venue-lists.ts";
import { createVenueOrders } from "./venue-orders.ts";
import { pairOf } from "./views.ts";
import { openWalletStore } from "./wallet-store.ts";

type VenueParts = {
  readonly desk: Desk;
  readonly pairs: KnownPairs;
  readonly redis: Redis;
  /** Orders, trades and movements that Redis no longer holds. */
  readonly history: History;
  /** How many open orders one user may have, by the current setting. */
  readonly openOrdersMax: () => number;
};

/**
 * Trading at our own venue: commands go to the engine through the desk; reads come from the projections in Redis and,
 * for what is no longer recent, from PostgreSQL. When PostgreSQL is unavailable, trading and recent reads continue.
 */
export function openVenueTrading({ redis, history, ...parts }: VenueParts): TradingPort {
  const { desk, pairs } = parts;
  const fills = openTradeStore({ redis, pairs, history });
  const orders = openOrderStore({ redis, pairs, trades: fills, history });
  const lists = openListStore({ redis, orders, history });
  const wallets = openWalletStore({ redis, pairs, history });
  const market = openMarketStore(redis);

  /** Reads once the projections show what the reader has seen. Undefined: the read itself found them behind. */
  async function read<Value>(
    reader: Reader,
    from: () => Promise<Value | undefined>,
  ): Promise<Result<Value, TradingFailure>> {
    const value = (await desk.catchUp(reader)) ? await from() : undefined;
    return value === undefined ? fail(BEHIND) : ok(value);
  }

  const walletPort: WalletPort = {
    readBalances: (trader) => read(trader, () => wallets.balances(trader.userId)),
    async readBalance(trader, currency) {
      if ((await pairs.findCurrency(currency)) === undefined) return UNKNOWN_CURRENCY;
      return read(trader, () => wallets.balance(trader.userId, currency));
    },
    listMovements: (trader, page) => read(trader, () => wallets.history(trader.userId, page)),
    async withdraw(trader, { currency, amount, reference }) {
      const known = await pairs.findCurrency(currency);
      if (known === undefined) return UNKNOWN_CURRENCY;
      const steps = readAmount(amount, known.scale);
      if (!steps.ok)
        return fail({ kind: "invalid", faults: [{ field: "amount", rule: "number", message: steps.reason }] });
      const command = { kind: "withdraw", user: trader.userId, currency, amount: steps.value, reference } as const;
      const committed = await desk.submit(trader, command);
      if (!committed.ok) return committed;
      const { outcome, sequence } = committed.value;
      return ok({ isRepetition: outcome.kind === "repetition", sequence });
    },
  };

  const marketPort: MarketPort = {
    listPairs: (reader) =>
      read(reader, async () => {
        await pairs.refresh();
        return pairs.all().map(pairOf);
      }),
    async readBook(reader, { pair, depth }) {
      if ((await pairs.findPair(pair)) === undefined) return UNKNOWN_PAIR;
      return read(reader, () => market.book(pair, depth));
    },
    async listTrades(reader, { pair, ...page }) {
      if ((await pairs.findPair(pair)) === undefined) return UNKNOWN_PAIR;
      return read(reader, () => market.trades(pair, page));
    },
  };

  const orderParts = { ...parts, store: orders };
  return {
    ...createVenueOrders(orderParts),
    ...createVenueChanges(orderParts),
    ...createVenueLists({ ...orderParts, lists }),
    async readList(trader, listId) {
      const found = await read(trader, async () => (await lists.read(trader.userId, listId)) ?? "none");
      if (!found.ok) return found;
      return found.value === "none"
        ? fail({ kind: "rejected", code: "list_unknown", sequence: undefined })
        : ok(found.value);
    },
    listLists: (trader, page) => read(trader, () => lists.list(trader.userId, page)),
    async readOrder(trader, orderId) {
      const found = await read(trader, async () => (await orders.read(trader.userId, orderId)) ?? "none");
      if (!found.ok) return found;
      return found.value === "none"
        ? fail({ kind: "rejected", code: "order_unknown", sequence: undefined })
        : ok(found.value);
    },
    listOrders: (trader, page) => read(trader, () => orders.list(trader.userId, page)),
    listFills: (trader, page) => read(trader, () => fills.ofUser(trader.userId, page)),
    ...walletPort,
    ...marketPort,
  };
}

const BEHIND = { kind: "behind", sequence: undefined } as const;
const UNKNOWN_PAIR = fail({ kind: "rejected", code: "pair_unknown", sequence: undefined });
const UNKNOWN_CURRENCY = fail({ kind: "rejected", code: "currency_unknown", sequence: undefined });
