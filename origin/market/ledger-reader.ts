import type { Grids, GridTerms } from "../instruments/grids.ts";
import type { JournalPosition } from "../journal/journal.ts";
import type { MarketTrade } from "./market-trade.ts";

/** The ledger, as far as market data needs it; `origin/record/` implements it. */
export type LedgerReader = {
  /** The last journal entry in the ledger. */
  readonly position: () => Promise<JournalPosition>;
  /** Every currency, and every grid that a pair ever had. */
  readonly terms: () => Promise<GridTerms>;
  /** The id of the last trade before a time; 0 if there is none. */
  readonly lastTradeBefore: (at: number) => Promise<number>;
  /** How many trades a pair has up to an id. */
  readonly countTrades: (pair: string, upTo: number) => Promise<number>;
  /** Trades page by page, in the order of their ids. */
  readonly trades: (grids: Grids, span: TradeSpan) => AsyncIterable<readonly LedgerTrade[]>;
};

export type LedgerTrade = MarketTrade & {
  /** The journal entry that it happened in. */
  readonly sequence: number;
};

export type TradeSpan = {
  /** Trades with a higher id than this. */
  readonly after?: number;
  /** Up to this journal entry. */
  readonly upTo: number;
  /** Only of this pair. */
  readonly pair?: string;
  /** Only before this time. */
  readonly before?: number;
};
