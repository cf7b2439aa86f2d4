import type { OrderSide, OrderType } from "../terms.ts";

/**
 * Where a pair's auction is. Nothing matches while it is `collecting`; at the bell the pair's book stands still, and
 * ticks take it through the other phases in bounded slices (`uncross.ts`). Everything a slice continues from is here
 * and in the book, so that a standby or a restored engine continues with exactly the next one.
 */
export type AuctionProgress = {
  /** How many auctions the pair has had, this one included. */
  readonly number: number;
  readonly phase: AuctionPhase;
  /** When the bell rang, in the engine's time. */
  readonly rungAt: number;
  /** The last price at the bell; 0 before the first trade. */
  readonly referenceTicks: number;
  /** How many orders were listed so far: those that take part. */
  readonly orders: number;
  /** The next order of each side to list or to match; 0 behind the last one. */
  readonly buyId: number;
  readonly sellId: number;
  /** How much of that order is matched already. */
  readonly buyLots: number;
  readonly sellLots: number;
  /** The price of the last order that was matched; in phase `weighing`, the two prices to choose from. */
  readonly buyTicks: number;
  readonly sellTicks: number;
  /** The price at which everything trades; 0 before it is known, and when nothing can trade. */
  readonly ticks: number;
  readonly firstTradeId: number;
  readonly trades: number;
  readonly lots: bigint;
};

/**
 * `listing` publishes the orders that take part, `pricing` matches them without trading to find the prices of maximum
 * volume, `weighing` compares the surplus of two neighbouring prices, `filling` trades, `closing` cancels the rests that
 * were only for the opening.
 */
export type AuctionPhase = "none" | "collecting" | "listing" | "pricing" | "weighing" | "filling" | "closing";

export const AUCTION_PHASES: readonly AuctionPhase[] = [
  "none",
  "collecting",
  "listing",
  "pricing",
  "weighing",
  "filling",
  "closing",
];

/** Of a pair that never had an auction. */
export const NO_AUCTION: AuctionProgress = {
  number: 0,
  phase: "none",
  rungAt: 0,
  referenceTicks: 0,
  orders: 0,
  buyId: 0,
  sellId: 0,
  buyLots: 0,
  sellLots: 0,
  buyTicks: 0,
  sellTicks: 0,
  ticks: 0,
  firstTradeId: 0,
  trades: 0,
  lots: 0n,
};

/** The bell has rung and continuous trading has not begun: the book stands still for everything but the uncross. */
export const isUncrossing = ({ phase }: Pick<AuctionProgress, "phase">): boolean =>
  phase !== "none" && phase !== "collecting";

/** Events of the journal for the public: the orders that take part, page by page, and the result. */
export type AuctionRow = AuctionOrders | AuctionResult;

export type AuctionOrders = {
  readonly kind: "orders";
  readonly pair: string;
  readonly grid: number;
  readonly number: number;
  /** How many orders were listed before. */
  readonly from: number;
  /** All buys, then all sells, each side by price and time. */
  readonly orders: readonly ListedOrder[];
};

/** An order as it takes part: without its owner, with what was left of it at the bell. */
export type ListedOrder = {
  readonly id: number;
  readonly side: OrderSide;
  readonly type: OrderType;
  /** Of a market order: the worst price that it can trade at. */
  readonly ticks: number;
  readonly lots: number;
  /** Its place among the orders of its price: its id, unless it came into the book later than that. */
  readonly priority: number;
};

export type AuctionResult = {
  readonly kind: "result";
  readonly pair: string;
  readonly grid: number;
  readonly number: number;
  readonly rungAt: number;
  readonly referenceTicks: number;
  readonly orders: number;
  /** 0 when nothing traded. */
  readonly ticks: number;
  readonly lots: bigint;
  /** The trades have consecutive ids; other pairs' trades may be among them. */
  readonly firstTradeId: number;
  readonly trades: number;
};
