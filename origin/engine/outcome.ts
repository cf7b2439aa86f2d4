import type { ListRow, OrderRow, TradeRow } from "./changes.ts";

/** The outcome of one command. A rejected one has changed nothing. */
export type Outcome = Accepted | Rejected;

type Accepted =
  | {
      /** Of a placed or amended order. */
      readonly kind: "order";
      /** Its state after the command, without the triggers that the command has caused. */
      readonly order: OrderRow;
      /** The trades of this order in this command. */
      readonly trades: readonly TradeRow[];
    }
  | {
      readonly kind: "list";
      readonly list: ListRow;
      /** In the order of `list.orderIds`. */
      readonly orders: readonly OrderRow[];
      /** Of the working order. */
      readonly trades: readonly TradeRow[];
    }
  | {
      readonly kind: "replaced";
      /** The order that was cancelled, or why it was not (with `continue` only). */
      readonly cancelled: OrderRow | RejectCode;
      /** The new order, or why it was rejected (with `continue` only). */
      readonly placed: OrderRow | RejectCode;
      readonly trades: readonly TradeRow[];
    }
  /** When the user's orders are cancelled; 0 if the switch is off. */
  | { readonly kind: "cancelAfter"; readonly cancelAt: number }
  | { readonly kind: "cancelled"; readonly orders: readonly OrderRow[]; readonly hasMore: boolean }
  | { readonly kind: "done" }
  /**
   * The same name with the same content was seen within 24 hours: nothing was done. The engine does not know a closed
   * order's state; `orderId` says where to look: an order or, for a list, the list (0 if the name is neither's).
   */
  | { readonly kind: "repetition"; readonly orderId: number };

export type Rejected = { readonly kind: "rejected"; readonly code: RejectCode };

/** Each is a promise to clients: never renamed. Those of one range have one kind of remedy. */
export type RejectCode =
  // It contradicts itself. The api never sends such a command; the engine refuses it anyway, because throwing would
  // stop the shard for good.
  | "command_invalid"
  // The pair or the account cannot do this now.
  | "pair_unknown"
  | "pair_halted"
  | "pair_changed"
  // The pair is opening: at the bell of its auction, until it trades.
  | "pair_opening"
  | "user_frozen"
  | "currency_unknown"
  // The order is not acceptable as it is.
  | "value_below_minimum"
  | "value_too_large"
  | "price_outside_band"
  | "post_only_would_trade"
  | "fill_or_kill_unfillable"
  | "no_liquidity"
  | "self_trade"
  | "would_trigger_immediately"
  | "trigger_price_missing"
  | "trailing_invalid"
  | "expiry_invalid"
  | "percentage_invalid"
  | "list_orders_invalid"
  | "list_prices_invalid"
  | "amend_upward"
  | "amend_without_effect"
  | "amend_below_filled"
  | "amend_unsupported"
  | "cancel_after_invalid"
  // An auction does not accept such an order.
  | "auction_order_unsupported"
  | "auction_price_required"
  // In the last moments before an opening orders can come and none can go.
  | "auction_frozen"
  // The balance is insufficient.
  | "balance_insufficient"
  | "open_orders_limit"
  | "trailing_orders_limit"
  | "amount_too_large"
  // The command's subject does not exist, or no longer exists.
  | "order_unknown"
  | "order_not_open"
  | "list_unknown"
  | "list_not_active"
  // The signed request is a repetition, cannot be distinguished from one, or cannot be remembered.
  | "request_replayed"
  | "request_expired"
  | "nonces_full"
  // The same name has other content.
  | "client_order_id_reused"
  | "client_list_id_reused"
  | "reference_reused"
  // Configuration.
  | "terms_invalid"
  | "currency_fixed"
  | "pair_has_orders"
  | "pair_in_auction"
  | "auction_time_past"
  // A memory bound is reached.
  | "engine_full";

export function reject(code: RejectCode): Rejected {
  return { kind: "rejected", code };
}
