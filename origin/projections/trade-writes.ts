import type { TradeRow } from "../engine/changes.ts";
import type { Grid } from "./grids.ts";
import { pairTradesKey, userTradesKey } from "./keys.ts";
import type { Write, Writes } from "./writes.ts";

/**
 * Of a user, so many trades can be listed from Redis: two of the longest pages, at most 50 kB. PostgreSQL has the rest. A list is cut in the step that adds
 * to it, so a list that is shorter than this has never been cut.
 */
export const USER_TRADES_MAX = 200;
/** Of a pair, for everybody. */
const PAIR_TRADES_MAX = 1_000;

/** Into the lists of the pair and of both sides, newest first. */
export function writeTrade(trade: TradeRow, { grid, writes }: { readonly grid: Grid; readonly writes: Writes }): void {
  const texts = tradeTexts(trade, grid);
  tradesOf(writes, trade.buyUser).push(texts.buy);
  tradesOf(writes, trade.sellUser).push(texts.sell);
  const ofPair = writes.into("LPUSH", pairTradesKey(trade.pair));
  if (ofPair.length === 2) writes.add(["LTRIM", pairTradesKey(trade.pair), 0, PAIR_TRADES_MAX - 1]);
  ofPair.push(texts.pair);
}

/**
 * As JSON: for the pair without names, for each side with its own order, fee and role. None of the texts in it needs to be escaped, so it is
 * put together by hand.
 */
export function tradeTexts(trade: TradeRow, grid: Grid): { readonly buy: string; readonly sell: string; readonly pair: string } {
  const { id, pair, takerSide } = trade;
  const facts =
    `{"id":${id},"pair":"${pair}","price":"${grid.price(trade.ticks)}","quantity":"${grid.quantity(trade.lots)}",` +
    `"value":"${grid.quote(trade.value)}","at":${trade.at}`;
  const ofSide = (side: "buy" | "sell", orderId: number, fee: string) =>
    `${facts},"side":"${side}","role":"${side === takerSide ? "taker" : "maker"}","order_id":${orderId},"fee":"${fee}"}`;
  return {
    buy: ofSide("buy", trade.buyOrderId, grid.base(trade.buyFee)),
    sell: ofSide("sell", trade.sellOrderId, grid.quote(trade.sellFee)),
    pair: `${facts},"taker_side":"${takerSide}"}`,
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
