import type { OrderRow, TradeRow } from "./changes.ts";

/** What became of one command. A rejected one has changed nothing. */
export type Outcome = Accepted | Rejected;

type Accepted =
  | {
      readonly kind: "order";
      /** As it stands after the command. */
      readonly order: OrderRow;
      /** The trades of this very command. */
      readonly trades: readonly TradeRow[];
    }
  | { readonly kind: "cancelled"; readonly orders: readonly OrderRow[]; readonly hasMore: boolean }
  | { readonly kind: "done" }
  /**
   * The same name with the same content was seen within 24 hours: nothing was done. What the order has become since is not the
   * engine's to know once it is closed; `orderId` says where to look (0 where the name stood for no order).
   */
  | { readonly kind: "repetition"; readonly orderId: number };

export type Rejected = { readonly kind: "rejected"; readonly code: RejectCode };

/** Each is a promise to clients: never renamed. Those of one range have one kind of remedy. */
export type RejectCode =
  // It contradicts itself. The api never sends such a command; the engine refuses it all the same, because throwing would stop the shard for good.
  | "command_invalid"
  // The pair or the account cannot do this now.
  | "pair_unknown"
  | "pair_halted"
  | "pair_changed"
  | "user_frozen"
  | "currency_unknown"
  // The order cannot be taken as it is.
  | "value_below_minimum"
  | "value_too_large"
  | "price_outside_band"
  | "post_only_would_trade"
  | "fill_or_kill_unfillable"
  | "no_liquidity"
  | "self_trade"
  // There is not enough.
  | "balance_insufficient"
  | "open_orders_limit"
  | "amount_too_large"
  // What it speaks of is not there, or no longer.
  | "order_unknown"
  | "order_not_open"
  // The signed request came before, can no longer be told from one that did, or cannot be remembered.
  | "request_replayed"
  | "request_expired"
  | "nonces_full"
  // The same name stands for something else.
  | "client_order_id_reused"
  | "reference_reused"
  // Configuration.
  | "terms_invalid"
  | "currency_fixed"
  | "pair_has_orders"
  // More is remembered than may be.
  | "engine_full";
