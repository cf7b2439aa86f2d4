import type { OrderSide, OrderType, PairTerms, SelfTrade, TimeInForce } from "./terms.ts";

/**
 * The engine's input. A command is complete: together with the state before it, it decides everything that follows, so
 * it carries the time and every setting that matters. Prices are whole ticks and quantities whole lots of the pair's
 * grid.
 */
export type Command = CommandHead &
  (
    | PlaceOrder
    | CancelOrder
    | CancelAll
    | Deposit
    | Withdraw
    | Transfer
    | { readonly kind: "setCurrency"; readonly currency: string; readonly scale: number }
    | { readonly kind: "setPair"; readonly terms: PairTerms }
    | { readonly kind: "setUser"; readonly user: string; readonly isFrozen: boolean }
  );

type CommandHead = {
  /** Opaque here: it only names the movements that it causes. */
  readonly id: string;
  /** The api's clock, in milliseconds. The engine's own time never goes back. */
  readonly at: number;
  /** Of the signed request that it came with: the same one is executed once. */
  readonly nonce?: Nonce | undefined;
};

type WithoutHead<Whole> = Whole extends unknown ? Omit<Whole, "id" | "at"> : never;

/**
 * A command as the api makes it: its id is its place in the stream or in the journal, and its time is taken when it is
 * submitted.
 */
export type CommandBody = WithoutHead<Command>;

/** Unique to a signed request and its command, and until when such a request could be sent again, in milliseconds. */
export type Nonce = { readonly id: string; readonly until: number };

export type PlaceOrder = {
  readonly kind: "place";
  readonly user: string;
  readonly pair: string;
  /** The grid that ticks and lots were counted in. If the pair has another one by now, the order is refused. */
  readonly grid: number;
  readonly side: OrderSide;
  readonly type: OrderType;
  /** The limit; 0 for a market order. */
  readonly ticks: number;
  /** 0 for a market order by quote amount. */
  readonly lots: number;
  /** In the quote currency's smallest steps; 0 unless the order is a market order by quote amount. */
  readonly quoteAmount: bigint;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly selfTrade: SelfTrade;
  /** The client's own name for the order; empty for none. */
  readonly clientOrderId: string;
  /** How many open orders the user may have, this one included. */
  readonly openOrdersMax: number;
};

/** By our id or by the client's: the other one is 0 or empty. */
export type CancelOrder = {
  readonly kind: "cancel";
  readonly user: string;
  readonly orderId: number;
  readonly clientOrderId: string;
};

/**
 * All open orders of a user, of one pair or (empty) of all. One command cancels a bounded number; its outcome says
 * whether more are left.
 */
export type CancelAll = { readonly kind: "cancelAll"; readonly user: string; readonly pair: string };

export type Deposit = {
  readonly kind: "deposit";
  readonly user: string;
  readonly currency: string;
  readonly amount: bigint;
  /** Makes a repetition harmless: the same reference with the same content is executed once in 24 hours. */
  readonly reference: string;
};

export type Withdraw = Omit<Deposit, "kind"> & { readonly kind: "withdraw" };

export type Transfer = Omit<Deposit, "kind" | "user"> & {
  readonly kind: "transfer";
  readonly from: string;
  readonly to: string;
};
