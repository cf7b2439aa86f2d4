import type { ListKind, OrderSide, OrderType, PairTerms, SelfTrade, TimeInForce } from "./terms.ts";

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
    | AmendOrder
    | ReplaceOrder
    | PlaceList
    | CancelList
    | CancelAfter
    | Tick
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
  /** The limit; 0 for an order that trades at the market, `stop` and `takeProfit` included. */
  readonly ticks: number;
  /** 0 for an order by quote amount. */
  readonly lots: number;
  /** In the quote currency's smallest steps; 0 unless the order trades at the market, by quote amount. */
  readonly quoteAmount: bigint;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  readonly selfTrade: SelfTrade;
  /** The client's own name for the order; empty for none. */
  readonly clientOrderId: string;
  /**
   * How many open orders the user may have, this one included. Every order that is pending or open counts one: a
   * trigger, each order of a list, and each of the sell orders that follow a buy, from the placement of the buy on.
   */
  readonly openOrdersMax: number;
  /** Absent for a plain order: most are. */
  readonly conditions?: OrderConditions | undefined;
};

export type OrderConditions = {
  /**
   * The trigger price of `stop`, `stopLimit`, `takeProfit` and `takeProfitLimit`; with `trailingBps` the activation
   * price. 0 for none: a trailing order without it is active at once.
   */
  readonly stopTicks: number;
  /**
   * In basis points of the best price since activation: a sell order triggers so far below the highest price, a buy
   * order so far above the lowest. 0 for none.
   */
  readonly trailingBps: number;
  /** Of `GTD`, in milliseconds; 0 for none. */
  readonly expiresAt: number;
  /**
   * Of a buy (`limit` or `market`), in parts per million of the average price paid; 0 for none. The engine sells what
   * the buy has received at that much more, or when the price is that much less.
   */
  readonly targetProfitPpm: number;
  readonly stopLossPpm: number;
};

/** One order of a list: it has the user, the pair and the grid of the list. */
export type ListOrder = Omit<PlaceOrder, "kind" | "user" | "pair" | "grid" | "openOrdersMax">;

/** `oco`: above, below. `oto`: working, pending. `otoco`: working, above, below. */
export type PlaceList = Pick<PlaceOrder, "user" | "pair" | "grid" | "openOrdersMax"> & {
  readonly kind: "placeList";
  readonly list: Exclude<ListKind, "exit">;
  /** Empty for none. */
  readonly clientListId: string;
  readonly orders: readonly ListOrder[];
};

/** All orders of a list, by our id or by the client's: the other one is 0 or empty. */
export type CancelList = {
  readonly kind: "cancelList";
  readonly user: string;
  readonly listId: number;
  readonly clientListId: string;
};

/** Fewer lots, with the same place in the queue. `lots` is the new total, filled lots included. */
export type AmendOrder = {
  readonly kind: "amend";
  readonly user: string;
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly lots: number;
};

/**
 * A cancel and a new order in one command. With `stop`, both are done or neither; with `continue`, each is done if it
 * can be, whatever becomes of the other.
 */
export type ReplaceOrder = {
  readonly kind: "replace";
  readonly user: string;
  /** The order to cancel, by our id or by the client's. */
  readonly orderId: number;
  readonly clientOrderId: string;
  /** Of the same user. */
  readonly order: PlaceOrder;
  readonly onFailure: "stop" | "continue";
};

/** The dead man's switch: all orders of the user are cancelled after this time, unless it is set again. 0 ends it. */
export type CancelAfter = { readonly kind: "cancelAfter"; readonly user: string; readonly afterMs: number };

/** Of the leader, when work is left over or a time has come and no other command arrives. It only carries the time. */
export type Tick = { readonly kind: "tick" };

/** By our id or by the client's: the other one is 0 or empty. */
export type CancelOrder = {
  readonly kind: "cancel";
  readonly user: string;
  readonly orderId: number;
  readonly clientOrderId: string;
};

/**
 * All open and pending orders of a user, of one pair or (empty) of all. One command cancels a bounded number; its outcome says
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
