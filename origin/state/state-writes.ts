import type { MovementRow, TradeRow } from "../engine/changes.ts";
import { HOUSE_USER } from "../engine/terms.ts";

import { amountText } from "../instruments/amounts.ts";
import { type Grid, priceText, quantityText } from "../instruments/grid.ts";
import type { Grids } from "../instruments/grids.ts";

import { currencyFields, listFields, pairFields } from "../journal/row-fields.ts";
import { endedList, endedTexts } from "./ended-orders.ts";
import {
  CURRENCIES_KEY,
  ENDED_KEY,
  ENDED_TOTAL_KEY,
  LISTS_KEY,
  movementsKey,
  PAIRS_KEY,
  pairTradesKey,
  USERS_KEY,
  userListsKey,
  userTradesKey,
  WALLETS_KEY,
  walletKey,
} from "./keys.ts";
import type { LatestRows } from "./latest-rows.ts";
import { writeNames } from "./name-store.ts";
import { isOpenStatus, writeOrder } from "./order-writes.ts";
import { createWrites, type Write, type Writes } from "./writes.ts";

type Known = {
  readonly grids: Grids;
  /** Orders from here on are new to Redis; 0 where it holds nothing yet. */
  readonly nextOrderId: number;
  /** Keys of names that have their expiry already: it is set once by each writer and not with every name. */
  readonly expiring: Set<string>;
  /** The journal entry of the rows. */
  readonly sequence: number;
};

/** The commands that bring Redis to these rows. */
export function stateWrites(rows: LatestRows, { grids, nextOrderId, expiring, sequence }: Known): Write[] {
  const writes = createWrites();
  for (const order of rows.orders.values()) {
    writeOrder(order, { grid: grids.of(order.pair, order.grid), isNew: order.id >= nextOrderId, writes });
  }
  writeEndings(rows, sequence, writes);
  for (const trade of rows.trades) writeTrade(trade, { grid: grids.of(trade.pair, trade.grid), writes });
  writeWallets(rows, grids, writes);
  const beginning = nextOrderId === 0 ? rows.balances.keys() : walletsThatMayBegin(rows);
  for (const user of beginning) writes.into("SADD", WALLETS_KEY).push(user);
  for (const { key, texts, cut } of movementLists(rows.movements, { grids, sequence })) {
    writes.into("LPUSH", key).push(...texts);
    writes.add([...cut]);
  }
  for (const row of rows.currencies.values())
    writes.into("HSET", CURRENCIES_KEY).push(row.currency, JSON.stringify(currencyFields(row)));
  for (const row of new Map(rows.pairs.map((pair) => [pair.pair, pair])).values()) {
    writes.into("HSET", PAIRS_KEY).push(row.pair, JSON.stringify(pairFields(row)));
  }
  writeUsers(rows, writes);
  writeLists(rows, writes);
  writeNames(rows, expiring, writes);
  return writes.all();
}

function writeUsers({ users }: LatestRows, writes: Writes): void {
  for (const { user, isFrozen, cancelAt } of users.values()) {
    const frozen = isFrozen ? 1 : 0;
    writes.into("HSET", USERS_KEY).push(user, cancelAt === undefined ? frozen : `${frozen},${cancelAt}`);
  }
}

function writeLists({ lists }: LatestRows, writes: Writes): void {
  for (const list of lists.values()) {
    writes.into("HSET", LISTS_KEY).push(list.id, JSON.stringify(listFields(list)));
    writes.into("ZADD", userListsKey(list.user)).push(-list.id, list.id);
  }
}

/** Lists the ended orders and order lists for `forget-orders.ts`. */
function writeEndings({ orders, lists, clock }: LatestRows, sequence: number, writes: Writes): void {
  const endedOrders = [...orders.values()].filter(({ status }) => !isOpenStatus(status));
  const endedLists = [...lists.values()].filter(({ status }) => status === "done").map(endedList);
  const ended = [...endedOrders, ...endedLists];
  if (ended.length === 0) return;
  writes.into("RPUSH", ENDED_KEY).push(...endedTexts(ended, { sequence, at: clock.at }));
  writes.add(["INCRBY", ENDED_TOTAL_KEY, ended.length]);
}

function writeWallets({ balances }: LatestRows, grids: Grids, writes: Writes): void {
  for (const [user, ofUser] of balances) {
    const wallet: Write = ["HSET", walletKey(user)];
    for (const { currency, available, frozen } of ofUser.values()) {
      const scale = grids.scaleOf(currency);
      wallet.push(currency, `${amountText(available, scale)},${amountText(frozen, scale)}`);
    }
    writes.add(wallet);
  }
}

/** Trading needs a deposit first, so a wallet begins with a movement; the house's begins with a fee. */
function* walletsThatMayBegin({ movements, trades }: LatestRows): Generator<string> {
  for (const { to } of movements) if (to !== "") yield to;
  if (trades.length > 0) yield HOUSE_USER;
}

/** Of a user, so many can be listed from Redis: two of the longest pages, at most 60 kB. PostgreSQL has the rest. */
export const USER_MOVEMENTS_MAX = 200;

type List = {
  readonly key: string;
  readonly texts: readonly string[];
  readonly cut: readonly ["LTRIM", string, 0, number];
};

type Projected = {
  readonly grids: Grids;
  /** The journal entry of these rows: the ledger has them once it has that entry. */
  readonly sequence: number;
};

/** Each movement in the lists of its users, the newest first. Movements are rare, so lists are cut every time. */
function movementLists(movements: readonly MovementRow[], { grids, sequence }: Projected): readonly List[] {
  const texts = new Map<string, string[]>();
  for (const movement of movements) {
    const { commandId: id, kind, currency, reference, at } = movement;
    const amount = amountText(movement.amount, grids.scaleOf(currency));
    for (const direction of ["out", "in"] as const) {
      const user = direction === "out" ? movement.from : movement.to;
      if (user === "") continue;
      const key = movementsKey(user);
      const ofUser = texts.get(key) ?? [];
      texts.set(key, ofUser);
      ofUser.push(JSON.stringify({ id, kind, direction, currency, amount, reference, at, sequence }));
    }
  }
  return [...texts].map(([key, list]) => ({ key, texts: list, cut: ["LTRIM", key, 0, USER_MOVEMENTS_MAX - 1] }));
}

/**
 * Of a user, so many trades can be listed from Redis: two of the longest pages, at most 50 kB. PostgreSQL has the rest.
 * A list is cut in the step that adds to it, so a list that is shorter than this has never been cut.
 */
export const USER_TRADES_MAX = 200;
/** Of a pair, public. */
const PAIR_TRADES_MAX = 1_000;

/** Into the lists of the pair and of both sides, newest first. */
function writeTrade(trade: TradeRow, { grid, writes }: { readonly grid: Grid; readonly writes: Writes }): void {
  const texts = tradeTexts(trade, grid);
  tradesOf(writes, trade.buyUser).push(texts.buy);
  tradesOf(writes, trade.sellUser).push(texts.sell);
  const ofPair = writes.into("LPUSH", pairTradesKey(trade.pair));
  if (ofPair.length === 2) writes.add(["LTRIM", pairTradesKey(trade.pair), 0, PAIR_TRADES_MAX - 1]);
  ofPair.push(texts.pair);
}

/**
 * As JSON: for the pair without names, for each side with its own order, fee and role. None of its texts needs
 * escaping, so the JSON is concatenated.
 */
export function tradeTexts(
  trade: TradeRow,
  grid: Grid,
): { readonly buy: string; readonly sell: string; readonly pair: string } {
  const { id, pair, takerSide } = trade;
  const facts =
    `{"id":${id},"pair":"${pair}","price":"${priceText(trade.ticks, grid)}","quantity":"${quantityText(trade.lots, grid)}",` +
    `"value":"${amountText(trade.value, grid.quoteScale)}","at":${trade.at}`;
  const ofSide = (side: "buy" | "sell", orderId: number, fee: string) =>
    `${facts},"side":"${side}","role":"${side === takerSide && trade.auction === 0 ? "taker" : "maker"}","order_id":${orderId},"fee":"${fee}"}`;
  return {
    buy: ofSide("buy", trade.buyOrderId, amountText(trade.buyFee, grid.baseScale)),
    sell: ofSide("sell", trade.sellOrderId, amountText(trade.sellFee, grid.quoteScale)),
    pair: `${facts},"taker_side":"${takerSide}"${trade.auction === 0 ? "" : `,"auction":${trade.auction}`}}`,
  };
}

function tradesOf(writes: Writes, user: string): Write {
  const ofUser = writes.ofUser(user);
  if (ofUser.trades === undefined) {
    ofUser.trades = ["LPUSH", userTradesKey(user)];
    writes.add(["LTRIM", userTradesKey(user), 0, USER_TRADES_MAX - 1]);
  }
  return ofUser.trades;
}
