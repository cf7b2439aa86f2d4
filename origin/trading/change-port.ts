import type { Result } from "../../shared/result.ts";
import type { RejectCode } from "../engine/outcome.ts";
import type { NewOrder, Order, OrderName, OrderWithFills, Trader, TradingFailure } from "./trading-port.ts";

/** Changes of orders, without a protocol: a part of the trading port. */
export type ChangePort = {
  /** Makes the quantity smaller; the order keeps its place in the queue. */
  readonly amendOrder: (trader: Trader, amendment: Amendment) => Promise<Result<AmendedOrder, TradingFailure>>;
  /** Cancels an order and places another one, in one command. */
  readonly replaceOrder: (trader: Trader, replacement: Replacement) => Promise<Result<ReplacedOrder, TradingFailure>>;
  /** The dead man's switch: all orders of the trader are cancelled after this time, unless it is set again; 0 ends it. */
  readonly cancelAfter: (trader: Trader, seconds: number) => Promise<Result<CancelAfterState, TradingFailure>>;
};

export type Amendment = { readonly orderId: number; readonly quantity: string };
export type AmendedOrder = { readonly order: Order; readonly sequence: number };

export type Replacement = {
  readonly name: OrderName;
  readonly order: NewOrder;
  /** `stop`: both or neither. `continue`: each is done if it can be. */
  readonly onFailure: "stop" | "continue";
};

export type ReplacedOrder = {
  /** With `continue`, why the order was not cancelled or the new one not placed. Undefined for a repetition. */
  readonly cancelled: Order | RejectCode | undefined;
  readonly placed: OrderWithFills | RejectCode;
  /** The new order was placed before, with the same client order id and content: this is its current state. */
  readonly isRepetition: boolean;
  readonly sequence: number;
};

/** Null if the switch is off. */
export type CancelAfterState = { readonly cancelAt: number | null; readonly sequence: number };
