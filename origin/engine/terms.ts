export type OrderSide = "buy" | "sell";
export type OrderType = "limit" | "market";
export type TimeInForce = "GTC" | "IOC" | "FOK";
/** Which of two orders of the same user is cancelled when they would trade. */
export type SelfTrade = "cancelNewest" | "cancelOldest" | "cancelBoth";
export type OrderStatus = "open" | "partiallyFilled" | "filled" | "cancelled";

/**
 * Why an order ended with a rest; empty otherwise. Only with `fundsSpent` the order counts as filled: the rest of its
 * quote amount buys or sells less than one lot.
 */
export type CancelReason =
  | ""
  | "user"
  | "immediateOrCancel"
  | "selfTrade"
  | "noLiquidity"
  | "priceBand"
  | "tooManyFills"
  | "fundsSpent";

/** Where the fees go: an account like any other, so that money only ever moves between accounts. */
export const HOUSE_USER = "house";

/**
 * The terms of a pair. One tick times one lot is a whole number of the quote currency's smallest steps (`unitSteps`),
 * so the value of a trade is exact by construction and only fees are ever rounded.
 */
export type PairTerms = {
  /** Lower case, as in `btcidr`. */
  readonly pair: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  /** The price step, in smallest steps of the quote currency for one whole unit of the base currency. */
  readonly tickSteps: bigint;
  /** The quantity step, in smallest steps of the base currency. */
  readonly lotSteps: bigint;
  /** Smallest value of an order, in smallest steps of the quote currency. */
  readonly valueStepsMin: bigint;
  /** Parts per million of what a side receives. */
  readonly makerFeePpm: number;
  readonly takerFeePpm: number;
  readonly isTrading: boolean;
  /** How far from the last price an order may trade, in parts per million; 0 for anywhere. */
  readonly bandPpm: number;
};
