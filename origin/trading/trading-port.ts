import type { FieldFault } from "../../shared/http/field-faults.ts";
import type { Result } from "../../shared/result.ts";
import type { RefusalCode } from "../commit/submit/commands.ts";
import type { Nonce } from "../engine/command.ts";
import type { RejectCode } from "../engine/outcome.ts";
import type {
  CancelReason,
  OrderSide,
  OrderStatus,
  OrderType,
  PairState,
  SelfTrade,
  TimeInForce,
} from "../engine/terms.ts";
import type { ChangePort } from "./change-port.ts";
import type { Conditions, NewConditions } from "./conditions.ts";
import type { ListPort } from "./list-port.ts";

/**
 * Trading at one venue, without a protocol. A dialect (the routes in `origin/api/trading`, other APIs, sockets) turns
 * its requests into these calls and their results into its answers; a venue implements them: `venue-trading.ts` for
 * our own engine. Numbers are decimal strings, times are milliseconds since 1970.
 *
 * Promises: an order or cancellation that succeeds is committed and survives every crash; a failure other than
 * `unknown` has changed nothing. A trader's reads show everything that an earlier result has shown to this trader.
 * Expected failures are values; a call throws when Redis or PostgreSQL is unavailable for a read.
 */
export type TradingPort = OrderPort & ChangePort & ListPort & WalletPort & MarketPort;

export type OrderPort = {
  readonly placeOrder: (trader: Trader, order: NewOrder) => Promise<Result<PlacedOrder, TradingFailure>>;
  /** Each order succeeds or fails on its own; results are in the order of the request. */
  readonly placeOrders: (
    trader: Trader,
    orders: readonly NewOrder[],
  ) => Promise<readonly Result<PlacedOrder, TradingFailure>[]>;
  readonly cancelOrder: (trader: Trader, name: OrderName) => Promise<Result<CancelledOrder, TradingFailure>>;
  /** Up to 1,000 open and pending orders, of one pair or of all. */
  readonly cancelOrders: (trader: Trader, filter: PairFilter) => Promise<Result<CancelledOrders, TradingFailure>>;
  /** The outcome of a command that failed as `unknown`. */
  readonly readCommand: (trader: Trader, commandId: string) => Promise<Result<CommandState, TradingFailure>>;
  readonly readOrder: (trader: Trader, orderId: number) => Promise<Result<OrderWithFills, TradingFailure>>;
  /** The newest first. */
  readonly listOrders: (trader: Trader, page: OrderPage) => Promise<Result<OrderList, TradingFailure>>;
  /** The trader's own executions, the newest first. */
  readonly listFills: (trader: Trader, page: PairPage) => Promise<Result<FillList, TradingFailure>>;
};

export type WalletPort = {
  readonly readBalances: (trader: Trader) => Promise<Result<readonly Balance[], TradingFailure>>;
  readonly readBalance: (trader: Trader, currency: string) => Promise<Result<Balance, TradingFailure>>;
  /** Deposits, withdrawals and transfers, the newest first. */
  readonly listMovements: (trader: Trader, page: MovementPage) => Promise<Result<MovementList, TradingFailure>>;
  readonly withdraw: (trader: Trader, withdrawal: Withdrawal) => Promise<Result<Moved, TradingFailure>>;
};

/** Public data: the reader may be anonymous. */
export type MarketPort = {
  readonly listPairs: (reader: Reader) => Promise<Result<readonly Pair[], TradingFailure>>;
  readonly readBook: (
    reader: Reader,
    which: { readonly pair: string; readonly depth: number },
  ) => Promise<Result<Book, TradingFailure>>;
  /** The newest first. */
  readonly listTrades: (reader: Reader, page: PageOfPair) => Promise<Result<TradeList, TradingFailure>>;
};

export type Reader = {
  /** Undefined for anonymous readers. */
  readonly userId: string | undefined;
  /** A read shows at least this journal sequence, which the client received from another process; 0 for none. */
  readonly afterSequence: number;
};

export type Trader = Reader & {
  readonly userId: string;
  /** If the request was signed, so that it is executed once. */
  readonly nonce?: RequestNonce | undefined;
};

/**
 * Makes a signed request one that is executed once. The engine remembers the nonce with the command, so a call that
 * submits commands takes the nonce before it reports success.
 */
export type RequestNonce = {
  /** For the command at this index of the request: the same request has the same commands at the same indexes. */
  readonly take: (index: number) => Nonce;
  /** The request submits no command: it may be sent again. */
  readonly waive: () => void;
  readonly isLeft: () => boolean;
};

export type TradingFailure =
  /** The input breaks a rule of the venue or of the pair; every fault is listed. */
  | { readonly kind: "invalid"; readonly faults: readonly TradingFault[] }
  /** Nothing was changed. The sequence is that of the engine's decision; undefined if the engine was not asked. */
  | { readonly kind: "rejected"; readonly code: RejectCode; readonly sequence: number | undefined }
  /** Nothing was written, because a part of the venue is busy or unavailable: a retry can succeed. */
  | { readonly kind: "refused"; readonly code: RefusalCode }
  /** The command may still be executed. The id is undefined if the store became unavailable during the write. */
  | { readonly kind: "unknown"; readonly commandId: string | undefined }
  /** The result cannot be read yet: projections have not reached what the trader has seen. A commit has a sequence. */
  | { readonly kind: "behind"; readonly sequence: number | undefined };

/** The rule lets a dialect choose its own error: a missing field, an invalid number, a value below the minimum. */
export type TradingFault = FieldFault & {
  readonly rule: "missing" | "unsupported" | "number" | "minimumValue";
  /** If the engine has a code for it, which is that of the whole failure. */
  readonly code?: RejectCode;
};

export type NewOrder = {
  readonly pair: string;
  readonly side: OrderSide;
  readonly type: OrderType;
  /** Of an order with a limit, for one whole unit of the base currency. */
  readonly price?: string | undefined;
  readonly quantity?: string | undefined;
  /** Instead of a quantity, for an order that trades at the market. */
  readonly quoteAmount?: string | undefined;
  readonly timeInForce?: TimeInForce | undefined;
  readonly postOnly: boolean;
  readonly selfTrade?: SelfTrade | undefined;
  /** The earlier name of `selfTrade`. */
  readonly selfTradePrevention?: SelfTrade | undefined;
  readonly clientOrderId?: string | undefined;
} & NewConditions;

export type OrderName = { readonly orderId: number } | { readonly clientOrderId: string };

export type Order = {
  readonly id: string;
  readonly clientOrderId: string | null;
  readonly pair: string;
  readonly side: OrderSide;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly postOnly: boolean;
  /** Null for a market order. */
  readonly price: string | null;
  /** Null for a market order by quote amount. */
  readonly quantity: string | null;
  readonly quoteAmount: string | null;
  readonly filledQuantity: string;
  readonly filledValue: string;
  readonly averagePrice: string | null;
  readonly fee: string;
  readonly feeCurrency: string;
  readonly status: OrderStatus;
  readonly cancelReason: Exclude<CancelReason, "" | "fundsSpent"> | null;
  readonly createdAt: number;
  readonly updatedAt: number;
} & Conditions;

/** A trade from one side's view: it does not identify the other side. */
export type Fill = {
  readonly id: string;
  readonly orderId: string;
  readonly pair: string;
  readonly side: OrderSide;
  readonly price: string;
  readonly quantity: string;
  readonly value: string;
  readonly fee: string;
  readonly feeCurrency: string;
  readonly liquidity: "maker" | "taker";
  readonly at: number;
};

export type OrderWithFills = Order & {
  readonly fills: readonly Fill[];
  /** False when some of the oldest fills were not found. */
  readonly hasAllFills: boolean;
};

export type PlacedOrder = {
  readonly order: OrderWithFills;
  /** The same client order id and content were placed before: this is that order's current state. */
  readonly isRepetition: boolean;
  readonly sequence: number;
};

export type CancelledOrder = { readonly order: Order; readonly sequence: number };
export type CancelledOrders = {
  readonly orders: readonly Order[];
  readonly hasMore: boolean;
  readonly sequence: number;
};

export type CommandState =
  | { readonly state: "pending" }
  | { readonly state: "done"; readonly orders: readonly Order[] }
  | { readonly state: "rejected"; readonly code: RejectCode }
  /** Too old, another user's, or never submitted. */
  | { readonly state: "notFound" };

export type PairFilter = { readonly pair: string | undefined };
/** Entries below this id. */
type Page = { readonly beforeId: number | undefined; readonly limit: number };
export type PairPage = Page & PairFilter;
export type PageOfPair = Page & { readonly pair: string };
/** `open` means every order in the book, partially filled ones included; `pending` those that wait. */
export type OrderPage = PairPage & { readonly status: OrderStatus | undefined };
export type MovementPage = { readonly cursor: string | undefined; readonly limit: number };

type List = { readonly nextCursor: string | null };
export type OrderList = List & { readonly orders: readonly Order[] };
export type FillList = List & { readonly trades: readonly Fill[] };
export type TradeList = List & { readonly trades: readonly PublicTrade[] };
export type MovementList = List & { readonly entries: readonly Movement[] };

export type Balance = {
  readonly currency: string;
  readonly available: string;
  readonly frozen: string;
  readonly total: string;
};

export type Movement = {
  readonly id: string;
  readonly kind: "deposit" | "withdrawal" | "transfer";
  readonly direction: "in" | "out";
  readonly currency: string;
  readonly amount: string;
  readonly reference: string;
  readonly at: number;
};

export type Withdrawal = { readonly currency: string; readonly amount: string; readonly reference: string };
/** `isRepetition`: the same reference and content were executed before, and nothing was done again. */
export type Moved = { readonly isRepetition: boolean; readonly sequence: number };

export type Pair = {
  readonly pair: string;
  readonly name: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  readonly tickSize: string;
  readonly lotSize: string;
  readonly minimumValue: string;
  readonly makerFeeRate: string;
  readonly takerFeeRate: string;
  readonly priceBandRate: string;
  readonly state: PairState;
  readonly isTrading: boolean;
  readonly auctionOpensAt: number | null;
  readonly auctionFreezeSeconds: number;
  readonly lastPrice: string | null;
  readonly version: number;
};

type Level = readonly [price: string, quantity: string];
export type Book = {
  readonly pair: string;
  /** The journal entry after which the book was in this state. */
  readonly sequence: number;
  readonly at: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
};

export type PublicTrade = {
  readonly id: string;
  readonly price: string;
  readonly quantity: string;
  readonly value: string;
  readonly takerSide: OrderSide;
  readonly at: number;
  /** The number of the pair's auction that it was part of. */
  readonly auction: number | null;
};
