import type { Result } from "../../shared/result.ts";
import type { ListKind, OrderSide } from "../engine/terms.ts";
import type { NewOrder, Order, PairPage, Trader, TradingFailure } from "./trading-port.ts";

/** Order lists, without a protocol: a part of the trading port. */
export type ListPort = {
  readonly placeList: (trader: Trader, list: NewList) => Promise<Result<PlacedList, TradingFailure>>;
  /** All orders of a list that have not ended. */
  readonly cancelList: (trader: Trader, name: ListName) => Promise<Result<CancelledList, TradingFailure>>;
  readonly readList: (trader: Trader, listId: number) => Promise<Result<List, TradingFailure>>;
  /** The newest first. */
  readonly listLists: (trader: Trader, page: ListPage) => Promise<Result<ListOfLists, TradingFailure>>;
};

/**
 * `oco`: two orders that exclude each other. `oto`: the pending order is placed when the working one is filled. `otoco`:
 * likewise with two orders that exclude each other.
 */
export type NewList =
  | (ListHead & {
      readonly type: "oco";
      readonly pair: string;
      readonly side: OrderSide;
      readonly quantity: string;
      readonly above: NewLeg;
      readonly below: NewLeg;
    })
  | (ListHead & {
      readonly type: "oto";
      readonly pair?: string | undefined;
      readonly working: NewListOrder;
      readonly pending: NewListOrder;
    })
  | (ListHead & {
      readonly type: "otoco";
      readonly pair?: string | undefined;
      /** Of both orders; by default the other side, and the quantity, of the working order. */
      readonly side?: OrderSide | undefined;
      readonly quantity?: string | undefined;
      readonly working: NewListOrder;
      readonly above: NewLeg;
      readonly below: NewLeg;
    });

type ListHead = { readonly clientListId?: string | undefined };

/** The pair can be that of the list. */
export type NewListOrder = Omit<NewOrder, "pair"> & { readonly pair?: string | undefined };
/** Side and quantity are those of the list. */
export type NewLeg = Omit<NewListOrder, "side" | "quantity" | "quoteAmount" | "targetProfit" | "stopLoss">;

export type ListName = { readonly listId: number } | { readonly clientListId: string };

export type List = {
  readonly id: string;
  /** `exit`: the sell orders that follow a buy with `targetProfit` or `stopLoss`. */
  readonly type: ListKind;
  readonly clientListId: string | null;
  readonly pair: string;
  /** `done` once none of its orders is pending or open. */
  readonly status: "active" | "done";
  /** `oco`: above, below. `oto`: working, pending. Others: working, above, below, without absent ones. */
  readonly orderIds: readonly string[];
  /** Those that are found: on a page, not those in the archive. */
  readonly orders: readonly Order[];
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type PlacedList = {
  readonly list: List;
  /** The same client list id and content were placed before: this is that list's current state. */
  readonly isRepetition: boolean;
  readonly sequence: number;
};

export type CancelledList = { readonly list: List; readonly sequence: number };
export type ListPage = PairPage & { readonly status: "active" | "done" | undefined };
export type ListOfLists = { readonly lists: readonly List[]; readonly nextCursor: string | null };
