/**
 * The numbers of a pair's trades, from 1 and without gaps, and of its aggregated trades: consecutive trades of one
 * taker order at one price and time count as one. Both follow from the order of the trades and nothing else, so a
 * rebuild from the ledger gives the same numbers.
 */
export type TradeNumbers = {
  /** How many trades the pair has had: the number of the last one. */
  readonly trades: number;
  /** Likewise for aggregated trades. */
  readonly aggregates: number;
  /** The common part of the trades of the last aggregated one; empty before the first trade. */
  readonly aggregated: string;
};

export const NO_TRADES: TradeNumbers = { trades: 0, aggregates: 0, aggregated: "" };

type NumberedTrade = {
  readonly at: number;
  readonly grid: number;
  readonly ticks: number;
  readonly takerSide: "buy" | "sell";
  readonly buyOrderId: number;
  readonly sellOrderId: number;
};

/** The numbers after one more trade; `trades` and `aggregates` are those of the trade itself. */
export function numbersAfter(before: TradeNumbers, trade: NumberedTrade): TradeNumbers {
  const taker = trade.takerSide === "buy" ? trade.buyOrderId : trade.sellOrderId;
  const aggregated = `${taker} ${trade.grid} ${trade.ticks} ${trade.at}`;
  return {
    trades: before.trades + 1,
    aggregates: before.aggregates + (aggregated === before.aggregated ? 0 : 1),
    aggregated,
  };
}
