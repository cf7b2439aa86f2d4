import type { ErrorCode, RefusalOptions } from "../../../shared/http/errors.ts";
import type { RejectCode } from "../../engine/outcome.ts";

/** The API's error for each reject code of the engine: the one place that maps them. */
export function refusalOf(code: RejectCode): readonly [ErrorCode, RefusalOptions?] {
  switch (code) {
    case "pair_unknown":
      return ["pair_not_found"];
    case "currency_unknown":
      return ["currency_not_found"];
    case "order_unknown":
      return ["order_not_found"];
    case "user_frozen":
      return ["account_frozen"];
    case "command_invalid":
      return ["internal_error"];
    case "request_expired":
      return ["timestamp_outside_window"];
    case "engine_full":
    case "nonces_full":
      return ["venue_busy", { retryAfterSeconds: FULL_RETRY_SECONDS }];
    case "value_below_minimum":
      return [code, { errors: [{ field: "quantity", message: "is worth less than the pair's minimum" }] }];
    case "value_too_large":
      return [code, { errors: [{ field: "quantity", message: "is worth more than can be traded" }] }];
    case "price_outside_band":
      return [code, { errors: [{ field: "price", message: "is further from the last price than the pair's band" }] }];
    case "auction_time_past":
      return [code, { errors: [{ field: "auctionOpensAt", message: "has passed" }] }];
    case "amount_too_large":
      return [code, { errors: [{ field: "amount", message: "is larger than can be held" }] }];
    case "list_unknown":
      return ["list_not_found"];
    case "would_trigger_immediately":
      return [code, { errors: [{ field: "stopPrice", message: "is already reached by the last price" }] }];
    case "trigger_price_missing":
      return [code, { errors: [{ field: "stopPrice", message: "is required, unless the order trails a last price" }] }];
    case "trailing_invalid":
      return [
        code,
        { errors: [{ field: "trailingBps", message: "must be from 1 to 5000, for an order with a trigger" }] },
      ];
    case "expiry_invalid":
      return [code, { errors: [{ field: "expiresAt", message: "must be in the future, within a year, for GTD" }] }];
    case "cancel_after_invalid":
      return [code, { errors: [{ field: "seconds", message: "must be 0, or from 1 to 86400" }] }];
    case "amend_upward":
    case "amend_without_effect":
    case "amend_below_filled":
      return [code, { errors: [{ field: "quantity", message: "must be less than now and more than is filled" }] }];
    case "percentage_invalid":
    case "list_orders_invalid":
    case "list_prices_invalid":
    case "amend_unsupported":
    case "trailing_orders_limit":
    case "list_not_active":
    case "client_list_id_reused":
    case "request_replayed":
    case "pair_halted":
    case "pair_changed":
    case "pair_opening":
    case "auction_order_unsupported":
    case "auction_price_required":
    case "auction_frozen":
    case "post_only_would_trade":
    case "fill_or_kill_unfillable":
    case "no_liquidity":
    case "self_trade":
    case "balance_insufficient":
    case "open_orders_limit":
    case "order_not_open":
    case "client_order_id_reused":
    case "reference_reused":
    case "terms_invalid":
    case "currency_fixed":
    case "pair_has_orders":
    case "pair_in_auction":
      return [code];
  }
}

/** Names are forgotten as the hours pass, not within seconds. */
const FULL_RETRY_SECONDS = 60;

/** The errors of an order, from the engine or on the way to it. */
export const ORDER_REFUSALS: readonly ErrorCode[] = [
  ...(["pair_not_found", "pair_halted", "pair_changed", "pair_opening", "account_frozen"] as const),
  ...(["auction_order_unsupported", "auction_price_required", "auction_frozen"] as const),
  ...(["value_below_minimum", "value_too_large", "price_outside_band", "post_only_would_trade"] as const),
  ...(["fill_or_kill_unfillable", "no_liquidity", "self_trade", "balance_insufficient"] as const),
  ...(["would_trigger_immediately", "trigger_price_missing", "trailing_invalid", "trailing_orders_limit"] as const),
  ...(["expiry_invalid", "percentage_invalid"] as const),
  ...([
    "open_orders_limit",
    "client_order_id_reused",
    "venue_busy",
    "engine_unavailable",
    "backlog_full",
    "store_full",
  ] as const),
];

/** The errors of an order list: those of its orders, and its own. */
export const LIST_REFUSALS: readonly ErrorCode[] = [
  ...ORDER_REFUSALS,
  ...(["list_orders_invalid", "list_prices_invalid", "client_list_id_reused"] as const),
  ...(["venue_catching_up", "database_unavailable"] as const),
];

export const MOVEMENT_REFUSALS: readonly ErrorCode[] = [
  ...(["currency_not_found", "account_frozen", "balance_insufficient"] as const),
  ...([
    "amount_too_large",
    "reference_reused",
    "venue_busy",
    "engine_unavailable",
    "backlog_full",
    "store_full",
  ] as const),
];
