import type { TradeRow } from "../engine/changes.ts";

/** Of a trade, the part that market data depends on: in the journal and in the ledger alike. */
export type MarketTrade = Pick<
  TradeRow,
  | "id"
  | "pair"
  | "grid"
  | "at"
  | "ticks"
  | "lots"
  | "value"
  | "takerSide"
  | "buyOrderId"
  | "sellOrderId"
  | "buyUser"
  | "sellUser"
  | "buyFee"
  | "sellFee"
>;
