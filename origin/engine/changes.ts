import type { Nonce } from "./command.ts";
import type { CancelReason, OrderSide, OrderStatus, OrderType, PairTerms, TimeInForce } from "./terms.ts";

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
  /** Of signed requests. In the journal they are part of their commands. */
  readonly nonces?: readonly Nonce[];
};

export type OrderRow = {
  /** Dense and ascending in the order of acceptance: between orders of one price it is the priority. */
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
export type PairRow = PairTerms & { readonly version: number; readonly grid: number; readonly lastTicks: number };

export type UserRow = { readonly user: string; readonly isFrozen: boolean };

/** A client order id (`order`) or a reference that is remembered for 24 hours, with a digest of its content. */
export type ReferenceRow = {
  readonly kind: ReferenceKind;
  readonly user: string;
  readonly reference: string;
  readonly digest: string;
  /** 0 if it is not an order's. */
  readonly orderId: number;
  readonly at: number;
  /** Its number among the user's names of the hour; 0 in entries of the first format, which has no such count. */
  readonly number: number;
};

/** Each kind has its own namespace. */
export type ReferenceKind = "order" | "deposit" | "withdrawal" | "transfer";
