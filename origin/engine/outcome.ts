import type { OrderRow, TradeRow } from "./changes.ts";

/** What became of one command. A rejected one has changed nothing. */
export type Outcome = Accepted | Rejected;

type Accepted =
  | {
      readonly kind: "order";
      /** As it stands after the command; for a repetition, as it stood when it was placed or last remembered. */
      readonly order: OrderRow;
      /** The trades of this very command. */
      readonly trades: readonly TradeRow[];
      /** The same client order id with the same content was seen before: nothing was done. */
      readonly isRepetition: boolean;
    }
  | { readonly kind: "cancelled"; readonly orders: readonly OrderRow[]; readonly hasMore: boolean }
  | { readonly kind: "done"; readonly isRepetition: boolean };

export type Rejected = { readonly kind: "rejected"; readonly code: RejectCode };

/** Each is a promise to clients: never renamed. Those of one range have one kind of remedy. */
export type RejectCode =
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
  // The same name stands for something else.
  | "client_order_id_reused"
  | "reference_reused"
  // Configuration.
  | "terms_invalid"
  | "currency_fixed"
  | "pair_has_orders"
  // More is remembered than may be.
  | "engine_full";
