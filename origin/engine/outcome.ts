import type { OrderRow, TradeRow } from "./changes.ts";

/** The outcome of one command. A rejected one has changed nothing. */
export type Outcome = Accepted | Rejected;

type Accepted =
  | {
      readonly kind: "order";
      /** Its state after the command. */
      readonly order: OrderRow;
      /** The trades of this command. */
      readonly trades: readonly TradeRow[];
    }
  | { readonly kind: "cancelled"; readonly orders: readonly OrderRow[]; readonly hasMore: boolean }
  | { readonly kind: "done" }
  /**
   * The same name with the same content was seen within 24 hours: nothing was done. The engine does not know a closed
   * order's state; `orderId` says where to look (0 if the name is not an order's).
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
  // The balance is insufficient.
  | "balance_insufficient"
  | "open_orders_limit"
  | "amount_too_large"
  // The command's subject does not exist, or no longer exists.
  | "order_unknown"
  | "order_not_open"
  // The signed request is a repetition, cannot be distinguished from one, or cannot be remembered.
  | "request_replayed"
  | "request_expired"
  | "nonces_full"
  // The same name has other content.
  | "client_order_id_reused"
  | "reference_reused"
  // Configuration.
  | "terms_invalid"
  | "currency_fixed"
  | "pair_has_orders"
  // A memory bound is reached.
  | "engine_full";

export function reject(code: RejectCode): Rejected {
  return { kind: "rejected", code };
}
