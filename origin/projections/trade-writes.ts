import type { TradeRow } from "../engine/changes.ts";
import type { Grid } from "./grids.ts";
import { pairTradesKey, userTradesKey } from "./keys.ts";
import type { Write, Writes } from "./writes.ts";

/** Of a user and of a pair, the newest so many trades can be listed from Redis. */
const USER_TRADES_MAX = 1_000;
const PAIR_TRADES_MAX = 1_000;
/** As for orders. */
const CUT_EVERY = 64;

/**
 * As JSON, newest first: for the pair without names, for each side with its own order, fee and role. None of the texts in it needs to be
 * escaped, so it is put together by hand.
 */
export function writeTrade(trade: TradeRow, { grid, writes }: { readonly grid: Grid; readonly writes: Writes }): void {
  const { id, pair, takerSide, buyUser, sellUser } = trade;
  const facts =
    `{"id":${id},"pair":"${pair}","price":"${grid.price(trade.ticks)}","quantity":"${grid.quantity(trade.lots)}",` +
    `"value":"${grid.quote(trade.value)}","at":${trade.at}`;
  const ofSide = (side: "buy" | "sell", orderId: number, fee: string) =>
    `${facts},"side":"${side}","role":"${side === takerSide ? "taker" : "maker"}","order_id":${orderId},"fee":"${fee}"}`;
  tradesOf(writes, buyUser).push(ofSide("buy", trade.buyOrderId, grid.base(trade.buyFee)));
  tradesOf(writes, sellUser).push(ofSide("sell", trade.sellOrderId, grid.quote(trade.sellFee)));
  writes.into("LPUSH", pairTradesKey(pair)).push(`${facts},"taker_side":"${takerSide}"}`);
  if (id % CUT_EVERY !== 0) return;
  for (const user of [buyUser, sellUser]) writes.add(["LTRIM", userTradesKey(user), 0, USER_TRADES_MAX - 1]);
  writes.add(["LTRIM", pairTradesKey(pair), 0, PAIR_TRADES_MAX - 1]);
}

function tradesOf(writes: Writes, user: string): Write {
  const ofUser = writes.ofUser(user);
  ofUser.trades ??= ["LPUSH", userTradesKey(user)];
  return ofUser.trades;
}
