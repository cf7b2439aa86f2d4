export type OrderSide = "buy" | "sell";
/** `stop` and `takeProfit` become market orders when they trigger, the others limit orders. */
export type OrderType = "limit" | "market" | TriggerType;
export type TriggerType = "stop" | "stopLimit" | "takeProfit" | "takeProfitLimit";
/** `GTD` is `GTC` with an expiry. */
export type TimeInForce = "GTC" | "IOC" | "FOK" | "GTD";
/**
 * The rule for two orders of the same user that would trade; the mode of the incoming order decides. With `decrement`
 * both shrink by the smaller one, with `none` they trade.
 */
export type SelfTrade = "cancelNewest" | "cancelOldest" | "cancelBoth" | "none" | "decrement";

/**
 * `pending`: accepted, and not in the book: it waits for its trigger or for the working order of its list. `failed`: it
 * was pending, and when its moment came it could not trade or rest at all (`cancelReason` says why). `stopped`: a sell
 * order that followed a buy as its stop loss, and has sold.
 */
export type OrderStatus = "pending" | "open" | "partiallyFilled" | "filled" | "cancelled" | "failed" | "stopped";

/** Whether an order can still trade. */
export const isLive = (status: OrderStatus): boolean =>
  status === "open" || status === "partiallyFilled" || status === "pending";

/** Whether an order is in the book. */
export const isResting = (status: OrderStatus): boolean => status === "open" || status === "partiallyFilled";

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
  | "fundsSpent"
  /** Its time in force is over. */
  | "expired"
  /** The user's dead man's switch. */
  | "cancelAfter"
  | "replaced"
  /** Another order of its list has traded, triggered or ended. */
  | "list"
  /** The sell orders that follow a buy have begun to sell: the rest of the buy is cancelled. */
  | "exitBegun"
  /** A triggered order that had to be filled at once could not be. */
  | "fillOrKill"
  /** A post-only order would have traded when its list placed it. */
  | "postOnly"
  /** When its list placed the order, the available balance was insufficient. */
  | "fundsInsufficient"
  /** A triggered order has used up the funds that were reserved when it was placed. */
  | "reserveSpent";

/** `exit` is made by the engine: the sell orders that follow a buy with `targetProfit` or `stopLoss`. */
export type ListKind = "oco" | "oto" | "otoco" | "exit";

/**
 * An order's part in its list; empty without a list. `above` and `below` exclude each other, `working` comes before the
 * others; `pending` is the single order after a working one.
 */
export type ListRole = "" | "working" | "pending" | "above" | "below";

/**
 * Where a conditional order is. `dormant`: it waits for the working order of its list. `waiting`: for its trigger
 * price, or for the activation price of a trailing order. `tracking`: a trailing order follows the price. `reached`: a
 * trailing order was triggered and is about to run. `placed`: it is in the book, or has ended.
 */
export type ConditionPhase = "dormant" | "waiting" | "tracking" | "reached" | "placed";

/** In an auction orders are collected, and nothing matches until it opens. */
export type PairState = "trading" | "halted" | "auction";

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
  readonly state: PairState;
  /** When the auction opens, in milliseconds of the engine's time; 0 if an admin opens it, or outside an auction. */
  readonly opensAt: number;
  /** How long before that time orders can no longer be cancelled or changed. */
  readonly freezeMs: number;
  /** How far from the last price an order may trade, in parts per million; 0 for anywhere. */
  readonly bandPpm: number;
};
