import type { AuctionProgress, AuctionRow } from "./auction/auction.ts";
import type { Nonce } from "./command.ts";
import type {
  CancelReason,
  ConditionPhase,
  ListKind,
  ListRole,
  OrderSide,
  OrderStatus,
  OrderType,
  PairTerms,
  SelfTrade,
  TimeInForce,
} from "./terms.ts";

/**
 * The changes of a batch of commands, in absolute terms: each row holds a new state and not a difference, so that
 * reading an entry twice equals reading it once. Only trades and movements are events.
 */
export type Changes = {
  /** The engine's time after the batch, in milliseconds. */
  readonly at: number;
  readonly nextOrderId: number;
  readonly nextTradeId: number;
  /** Every order that was touched, once. Those that are new come in ascending order of id. */
  readonly orders: readonly OrderRow[];
  readonly trades: readonly TradeRow[];
  readonly balances: readonly BalanceRow[];
  readonly movements: readonly MovementRow[];
  readonly currencies: readonly CurrencyRow[];
  readonly pairs: readonly PairRow[];
  readonly users: readonly UserRow[];
  readonly references: readonly ReferenceRow[];
  /** Every order list that was touched, once; absent if there are none. */
  readonly lists?: readonly ListRow[];
  /** Events of an uncross for the public, like trades. */
  readonly auctions?: readonly AuctionRow[];
  /** Of signed requests. In the journal they are part of their commands. */
  readonly nonces?: readonly Nonce[];
};

export type OrderRow = {
  /**
   * Ascending in the order of acceptance. Between orders of one price it is the priority, unless `conditions` has
   * another. Lists and priorities take their numbers from the same counter.
   */
  readonly id: number;
  readonly user: string;
  readonly pair: string;
  readonly grid: number;
  readonly side: OrderSide;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly ticks: number;
  readonly lots: number;
  readonly quoteAmount: bigint;
  readonly filledLots: number;
  /** The value of the filled lots, in the quote currency. */
  readonly filledValue: bigint;
  /** The fees paid, in the currency that the order receives. */
  readonly feePaid: bigint;
  readonly status: OrderStatus;
  readonly cancelReason: CancelReason;
  readonly clientOrderId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Absent for a plain order. */
  readonly conditions?: ConditionRow;
};

/** The part that only some orders have. It stays with the order until its last row. */
export type ConditionRow = {
  readonly phase: ConditionPhase;
  /** The trigger price, or the activation price of a trailing order; 0 for none. */
  readonly stopTicks: number;
  readonly trailingBps: number;
  /** The best price that a trailing order has seen since its activation; 0 before. */
  readonly extremeTicks: number;
  /** When it was triggered; 0 before. */
  readonly triggeredAt: number;
  /** Of `GTD`; 0 for none. */
  readonly expiresAt: number;
  readonly selfTrade: SelfTrade;
  /** Its place among the orders of its price, in the book or among the triggers; 0 if that is its id. */
  readonly priority: number;
  /** The amount that it keeps frozen while it is pending, in the currency that it pays. 0 if its list does, and in the book. */
  readonly reserved: bigint;
  /** 0 without a list. */
  readonly listId: number;
  readonly role: ListRole;
  /** Of a sell order that follows a buy: the buy. 0 otherwise. */
  readonly buyOrderId: number;
  /** Of a buy that is followed: its target, or its stop if it has no target. 0 otherwise. */
  readonly sellOrderId: number;
  /** Of a buy that is followed. */
  readonly targetProfitPpm: number;
  readonly stopLossPpm: number;
  /** The lots when it was placed, if an amend or a prevented self-trade has made them fewer; 0 otherwise. */
  readonly originalLots: number;
  /** The lots that self-trade prevention (`decrement`) took away. */
  readonly preventedLots: number;
};

/** An order list. */
export type ListRow = {
  readonly id: number;
  readonly user: string;
  readonly pair: string;
  readonly kind: ListKind;
  readonly clientListId: string;
  /** `oco`: above, below. `oto`: working, pending. `otoco` and `exit`: working, above, below; 0 for an absent one. */
  readonly orderIds: readonly number[];
  /** `done` once no order of it is pending or open. */
  readonly status: "active" | "done";
  /**
   * The amount kept frozen for the orders above and below, once for both: in the base currency if they sell, otherwise
   * in the quote currency.
   */
  readonly reserved: bigint;
  /** Its place in the queue of work that is left over; 0 if nothing is left to do for it. */
  readonly dueAs: number;
  /** Of `exit`, as are the lots that its buy has bought, and their value. */
  readonly targetProfitPpm: number;
  readonly stopLossPpm: number;
  readonly boughtLots: number;
  readonly boughtValue: bigint;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type TradeRow = {
  /** Dense and gapless over all pairs. */
  readonly id: number;
  readonly pair: string;
  readonly grid: number;
  readonly at: number;
  readonly ticks: number;
  readonly lots: number;
  readonly value: bigint;
  readonly takerSide: OrderSide;
  readonly buyOrderId: number;
  readonly sellOrderId: number;
  readonly buyUser: string;
  readonly sellUser: string;
  /** In the base currency. */
  readonly buyFee: bigint;
  /** In the quote currency. */
  readonly sellFee: bigint;
  /**
   * The number of the pair's auction that it is a part of, or 0. An auction has no taker: `takerSide` is that of the
   * younger order, and both sides pay the maker's fee.
   */
  readonly auction: number;
};

export type BalanceRow = {
  readonly user: string;
  readonly currency: string;
  readonly available: bigint;
  readonly frozen: bigint;
};

/** A deposit, a withdrawal or a transfer. */
export type MovementRow = {
  readonly kind: "deposit" | "withdrawal" | "transfer";
  readonly commandId: string;
  readonly at: number;
  /** Empty for a deposit. */
  readonly from: string;
  /** Empty for a withdrawal. */
  readonly to: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly reference: string;
};

/** `supply` is all deposits less all withdrawals: the sum of all balances must equal it. */
export type CurrencyRow = { readonly currency: string; readonly scale: number; readonly supply: bigint };

/**
 * `grid` changes when ticks or lots do, `version` with every change of the terms. `lastTicks` is 0 before the first
 * trade.
 */
export type PairRow = PairTerms & {
  readonly version: number;
  readonly grid: number;
  readonly lastTicks: number;
  /** Triggers that were reached and have not all run yet, in the order in which they run; absent if there are none. */
  readonly waves?: readonly WaveRow[];
  readonly auction: AuctionProgress;
};

/**
 * The orders whose trigger was reached by one price: those between two trigger prices that were waiting at that moment.
 */
export type WaveRow = {
  /** Its place in the queue of work. */
  readonly as: number;
  readonly isRising: boolean;
  /** The trigger prices that are left, the next one first. */
  readonly fromTicks: number;
  readonly toTicks: number;
  /** Orders of this priority or a later one were not waiting yet. */
  readonly before: number;
};

export type UserRow = {
  readonly user: string;
  readonly isFrozen: boolean;
  /** When all orders of the user are cancelled, in milliseconds; absent if they are not. */
  readonly cancelAt?: number;
};

/** A client order id (`order`), a client list id (`list`) or a reference that is remembered for 24 hours, with a digest of its content. */
export type ReferenceRow = {
  readonly kind: ReferenceKind;
  readonly user: string;
  readonly reference: string;
  readonly digest: string;
  /** Of the order or the list; 0 for others. */
  readonly orderId: number;
  readonly at: number;
  /** Its number among the user's names of the hour; 0 in entries of the first format, which has no such count. */
  readonly number: number;
};

/** Each kind has its own namespace. */
export type ReferenceKind = "order" | "list" | "deposit" | "withdrawal" | "transfer";
