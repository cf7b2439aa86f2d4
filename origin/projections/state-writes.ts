import { currencyFields, pairFields } from "../commit/row-fields.ts";
import { HOUSE_USER } from "../engine/terms.ts";
import { decimal } from "./decimal.ts";
import { endedTexts } from "./ended-orders.ts";
import type { Grids } from "./grids.ts";
import { CURRENCIES_KEY, ENDED_KEY, ENDED_TOTAL_KEY, PAIRS_KEY, USERS_KEY, WALLETS_KEY, walletKey } from "./keys.ts";
import type { LatestRows } from "./latest-rows.ts";
import { movementLists } from "./movement-writes.ts";
import { writeNames } from "./name-writes.ts";
import { isOpenStatus, writeOrder } from "./order-writes.ts";
import { writeTrade } from "./trade-writes.ts";
import { createWrites, type Write, type Writes } from "./writes.ts";

type Known = {
  readonly grids: Grids;
  /** Orders from here on are new to Redis; 0 where it holds nothing yet. */
  readonly nextOrderId: number;
  /** Keys of names that have their expiry already: it is set once by each writer and not with every name. */
  readonly expiring: Set<string>;
  /** The journal entry that the rows stand at. */
  readonly sequence: number;
};

/** What brings Redis to these rows. */
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
  for (const row of rows.currencies.values()) writes.into("HSET", CURRENCIES_KEY).push(row.currency, JSON.stringify(currencyFields(row)));
  for (const row of new Map(rows.pairs.map((pair) => [pair.pair, pair])).values()) {
    writes.into("HSET", PAIRS_KEY).push(row.pair, JSON.stringify(pairFields(row)));
  }
  for (const { user, isFrozen } of rows.users.values()) writes.into("HSET", USERS_KEY).push(user, isFrozen ? 1 : 0);
  writeNames(rows, expiring, writes);
  return writes.all();
}

/** Which orders have ended by now, for `forget-orders.ts`. */
function writeEndings({ orders, clock }: LatestRows, sequence: number, writes: Writes): void {
  const ended = [...orders.values()].filter(({ status }) => !isOpenStatus(status));
  if (ended.length === 0) return;
  writes.into("RPUSH", ENDED_KEY).push(...endedTexts(ended, { sequence, at: clock.at }));
  writes.add(["INCRBY", ENDED_TOTAL_KEY, ended.length]);
}

function writeWallets({ balances }: LatestRows, grids: Grids, writes: Writes): void {
  for (const [user, ofUser] of balances) {
    const wallet: Write = ["HSET", walletKey(user)];
    for (const { currency, available, frozen } of ofUser.values()) {
      const scale = grids.scaleOf(currency);
      wallet.push(currency, `${decimal(available, scale)},${decimal(frozen, scale)}`);
    }
    writes.add(wallet);
  }
}

/** Nobody trades before money has come in, so a wallet begins with a movement; the house's begins with a fee. */
function* walletsThatMayBegin({ movements, trades }: LatestRows): Generator<string> {
  for (const { to } of movements) if (to !== "") yield to;
  if (trades.length > 0) yield HOUSE_USER;
}
