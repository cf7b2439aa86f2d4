import { currencyFields, orderFields, pairFields, referenceFields } from "../commit/row-fields.ts";
import type { OrderRow, TradeRow } from "../engine/changes.ts";
import { decimal } from "./decimal.ts";
import type { Grid, Grids } from "./grids.ts";
import {
  bookKey,
  CURRENCIES_KEY,
  openOrdersKey,
  orderKey,
  PAIRS_KEY,
  pairTradesKey,
  referencesKey,
  statusKey,
  USERS_KEY,
  userOrdersKey,
  userTradesKey,
  WALLETS_KEY,
  walletKey,
} from "./keys.ts";
import { type LatestRows, referenceName } from "./latest-rows.ts";
import { movementLists } from "./movement-writes.ts";

/** A command for Redis; those with many members are grown while the rows are gone through. */
export type Write = [string, ...(string | number)[]];

/** Ended orders are kept for a month; by then PostgreSQL has them. */
const ENDED_ORDER_TTL_SECONDS = 30 * 24 * 3_600;
/** Of a user, the newest so many orders and trades can be listed from Redis. */
const USER_ORDERS_MAX = 10_000;
const USER_TRADES_MAX = 1_000;
const PAIR_TRADES_MAX = 1_000;
/** Of the ended ones, over all users. */
const STATUS_ORDERS_MAX = 10_000;
/** Lists are cut once in so many ids that they get, which costs less than every time and lets them be that much longer. */
const CUT_EVERY = 64;
const HOUR_MS = 3_600_000;
/** Longer than the 24 hours for which a reference counts. */
const REFERENCE_TTL_SECONDS = 26 * 3_600;

type Known = {
  readonly grids: Grids;
  /** Orders from here on are new to Redis: they stand in no index yet. */
  readonly nextOrderId: number;
};

/** What brings Redis to these rows. Everything of one key that can be said in one command is. */
export function stateWrites(rows: LatestRows, known: Known): readonly Write[] {
  const grouped = new Map<string, Write>();
  const single: Write[] = [];
  const into = (command: string, key: string): Write => {
    const name = `${command} ${key}`;
    let write = grouped.get(name);
    if (write === undefined) {
      write = [command, key];
      grouped.set(name, write);
    }
    return write;
  };
  for (const order of rows.orders.values()) {
    writeOrder(order, { grid: known.grids.of(order.pair, order.grid), isNew: order.id >= known.nextOrderId, into, single });
  }
  for (const trade of rows.trades) writeTrade(trade, { grid: known.grids.of(trade.pair, trade.grid), into, single });
  for (const [user, balances] of rows.balances) {
    const wallet: Write = ["HSET", walletKey(user)];
    for (const { currency, available, frozen } of balances.values()) {
      const scale = known.grids.scaleOf(currency);
      wallet.push(currency, `${decimal(available, scale)},${decimal(frozen, scale)}`);
    }
    single.push(wallet);
    into("SADD", WALLETS_KEY).push(user);
  }
  for (const { key, texts, cut } of movementLists(rows.movements, known.grids)) {
    into("LPUSH", key).push(...texts);
    single.push([...cut]);
  }
  for (const row of rows.currencies.values()) into("HSET", CURRENCIES_KEY).push(row.currency, JSON.stringify(currencyFields(row)));
  for (const row of rows.pairs) into("HSET", PAIRS_KEY).push(row.pair, JSON.stringify(pairFields(row)));
  for (const { user, isFrozen } of rows.users.values()) into("HSET", USERS_KEY).push(user, isFrozen ? 1 : 0);
  for (const row of rows.references.values()) {
    const key = referencesKey(Math.floor(row.at / HOUR_MS));
    into("HSET", key).push(referenceName(row), JSON.stringify(referenceFields(row)));
    if (!grouped.has(`EXPIRE ${key}`)) into("EXPIRE", key).push(REFERENCE_TTL_SECONDS);
  }
  // What cuts or expires a key comes behind what is put into it.
  return [...grouped.values(), ...single];
}

type OrderContext = {
  readonly grid: Grid;
  readonly isNew: boolean;
  readonly into: (command: string, key: string) => Write;
  readonly single: Write[];
};

function writeOrder(order: OrderRow, { grid, isNew, into, single }: OrderContext): void {
  const { id, status, user } = order;
  const isOpen = status === "open" || status === "partiallyFilled";
  const moving = changingFields(order, grid);
  single.push(["HSET", orderKey(id), ...(isNew ? fixedFields(order, grid) : []), ...moving]);
  into("ZADD", statusKey(status)).push(id, id);
  if (isNew) {
    into("ZADD", userOrdersKey(user)).push(id, id);
    if (id % CUT_EVERY === 0) single.push(["ZREMRANGEBYRANK", userOrdersKey(user), 0, -USER_ORDERS_MAX - 1]);
  }
  if (isOpen) {
    into("HSET", bookKey(order.pair)).push(id, JSON.stringify(orderFields(order)));
    if (isNew) into("ZADD", openOrdersKey(user)).push(id, id);
    else if (status === "partiallyFilled") into("ZREM", statusKey("open")).push(id);
    return;
  }
  single.push(["EXPIRE", orderKey(id), ENDED_ORDER_TTL_SECONDS]);
  if (id % CUT_EVERY === 0) single.push(["ZREMRANGEBYRANK", statusKey(status), 0, -STATUS_ORDERS_MAX - 1]);
  if (isNew) return;
  into("HDEL", bookKey(order.pair)).push(id);
  into("ZREM", openOrdersKey(user)).push(id);
  into("ZREM", statusKey("open")).push(id);
  into("ZREM", statusKey("partiallyFilled")).push(id);
}

/** All fields of an order as they stand in Redis. */
export function orderHash(order: OrderRow, grid: Grid): Readonly<Record<string, string>> {
  const fields = [...fixedFields(order, grid), ...changingFields(order, grid)].map(String);
  return Object.fromEntries(Array.from({ length: fields.length / 2 }, (_, index) => fields.slice(2 * index, 2 * index + 2)));
}

function fixedFields(order: OrderRow, grid: Grid): readonly (string | number)[] {
  return [
    ...["id", order.id, "user", order.user, "pair", order.pair, "side", order.side, "type", order.type],
    ...["time_in_force", order.timeInForce, "post_only", order.postOnly ? 1 : 0],
    ...["price", grid.price(order.ticks), "quantity", grid.quantity(order.lots), "quote_amount", grid.quote(order.quoteAmount)],
    ...["client_order_id", order.clientOrderId, "created_at", order.createdAt],
  ];
}

function changingFields(order: OrderRow, grid: Grid): readonly (string | number)[] {
  const fee = order.side === "buy" ? grid.base(order.feePaid) : grid.quote(order.feePaid);
  return [
    ...["status", order.status, "cancel_reason", order.cancelReason, "updated_at", order.updatedAt],
    ...["filled_quantity", grid.quantity(order.filledLots), "filled_value", grid.quote(order.filledValue), "fee_paid", fee],
  ];
}

type TradeContext = Omit<OrderContext, "isNew">;

/** As JSON, newest first: for the pair without names, for each side with its own order, fee and role. */
function writeTrade(trade: TradeRow, { grid, into, single }: TradeContext): void {
  const facts = {
    id: trade.id,
    pair: trade.pair,
    price: grid.price(trade.ticks),
    quantity: grid.quantity(trade.lots),
    value: grid.quote(trade.value),
    at: trade.at,
  };
  const sides = [
    { side: "buy", user: trade.buyUser, orderId: trade.buyOrderId, fee: grid.base(trade.buyFee) },
    { side: "sell", user: trade.sellUser, orderId: trade.sellOrderId, fee: grid.quote(trade.sellFee) },
  ];
  const isCut = trade.id % CUT_EVERY === 0;
  for (const { side, user, orderId, fee } of sides) {
    const role = side === trade.takerSide ? "taker" : "maker";
    into("LPUSH", userTradesKey(user)).push(JSON.stringify({ ...facts, side, role, order_id: orderId, fee }));
    if (isCut) single.push(["LTRIM", userTradesKey(user), 0, USER_TRADES_MAX - 1]);
  }
  into("LPUSH", pairTradesKey(trade.pair)).push(JSON.stringify({ ...facts, taker_side: trade.takerSide }));
  if (isCut) single.push(["LTRIM", pairTradesKey(trade.pair), 0, PAIR_TRADES_MAX - 1]);
}
