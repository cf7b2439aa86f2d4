/**
 * The one catalogue of error codes. A code is a promise: clients switch on it, so it is never renamed.
 * `docs/errors.md` lists the same codes, and a test compares the two.
 */
export type ErrorCode = keyof typeof errorCatalogue;

type ErrorEntry = {
  readonly status: number;
  /** The public text: it never says which internal check failed. */
  readonly title: string;
  /** Whether the same request can succeed when it is retried. */
  readonly retry: "never" | "later";
};

export const errorCatalogue = {
  path_not_plain: { status: 400, title: "The path is not in its canonical form.", retry: "never" },
  request_ambiguous: { status: 400, title: "The request's framing is ambiguous.", retry: "never" },
  json_malformed: { status: 400, title: "The body is not valid JSON, or is ambiguous.", retry: "never" },
  operator_token_invalid: { status: 401, title: "The operator token is missing or invalid.", retry: "never" },
  token_invalid: { status: 401, title: "The ticket or pass is missing or invalid.", retry: "never" },
  invite_invalid: { status: 401, title: "The invite is invalid.", retry: "never" },
  invite_expired: { status: 401, title: "The invite has expired.", retry: "never" },
  console_call_foreign: { status: 403, title: "The request did not come from the console.", retry: "never" },
  credentials_invalid: { status: 401, title: "The username or the password is wrong.", retry: "never" },
  not_signed_in: { status: 401, title: "You are not signed in, or your session has ended.", retry: "never" },
  refresh_token_invalid: { status: 401, title: "The refresh token is invalid or has expired.", retry: "never" },
  key_expired: { status: 401, title: "The API key has expired.", retry: "never" },
  request_replayed: { status: 401, title: "This request was already received.", retry: "never" },
  signature_invalid: { status: 401, title: "The API key or the signature is invalid.", retry: "never" },
  timestamp_outside_window: {
    status: 401,
    title: "The request's timestamp is outside the allowed window.",
    retry: "later",
  },
  account_inactive: { status: 403, title: "This account is not active.", retry: "never" },
  account_suspended: { status: 403, title: "This account is suspended.", retry: "never" },
  address_not_allowed: { status: 403, title: "The API key does not allow requests from this address.", retry: "never" },
  account_frozen: { status: 403, title: "This account is frozen: it cannot trade or move money.", retry: "never" },
  permission_missing: { status: 403, title: "The API key does not have this permission.", retry: "never" },
  not_allowed: { status: 403, title: "You do not have permission to do this.", retry: "never" },
  other_site_refused: { status: 403, title: "Requests from pages of other sites are refused.", retry: "never" },
  session_revoked: { status: 403, title: "The organiser ended this session.", retry: "never" },
  session_banned: { status: 403, title: "The organiser ended this session. You can join again later.", retry: "later" },
  other_site_form: {
    status: 403,
    title: "A form of another site arrived without the visitor's cookies. It was not processed.",
    retry: "never",
  },
  not_found: { status: 404, title: "Not found.", retry: "never" },
  queue_not_found: { status: 404, title: "Queue not found.", retry: "never" },
  route_not_found: { status: 404, title: "Route not found.", retry: "never" },
  session_not_found: { status: 404, title: "Session not found.", retry: "never" },
  auction_not_found: { status: 404, title: "This auction has not opened.", retry: "later" },
  draw_not_found: { status: 404, title: "This queue has no draw to verify.", retry: "never" },
  key_not_found: { status: 404, title: "API key not found.", retry: "never" },
  user_not_found: { status: 404, title: "Account not found.", retry: "never" },
  command_not_found: { status: 404, title: "Command not found, or no longer known.", retry: "never" },
  currency_not_found: { status: 404, title: "Currency not found.", retry: "never" },
  list_not_found: { status: 404, title: "Order list not found.", retry: "never" },
  order_not_found: { status: 404, title: "Order not found.", retry: "never" },
  pair_not_found: { status: 404, title: "Pair not found.", retry: "never" },
  item_not_found: { status: 404, title: "Item not found.", retry: "never" },
  provider_not_found: { status: 404, title: "Provider not found.", retry: "never" },
  channel_unknown: { status: 404, title: "The channel does not exist.", retry: "never" },
  method_not_allowed: { status: 405, title: "Method not allowed.", retry: "never" },
  invite_used: { status: 409, title: "The invite has been used.", retry: "never" },
  invite_revoked: { status: 409, title: "The invite was revoked.", retry: "never" },
  account_exists: {
    status: 409,
    title: "An account with this username or email address already exists.",
    retry: "never",
  },
  key_limit_reached: { status: 409, title: "The maximum number of API keys is reached.", retry: "never" },
  venue_key_exists: { status: 409, title: "A key of this venue already exists.", retry: "never" },
  item_exists: { status: 409, title: "An item with this code already exists.", retry: "never" },
  item_limit_reached: { status: 409, title: "The maximum number of items is reached.", retry: "never" },
  provider_in_use: { status: 409, title: "Items use this provider.", retry: "never" },
  provider_disabled: { status: 409, title: "This provider is disabled.", retry: "never" },
  last_admin: { status: 409, title: "This is the last active admin.", retry: "never" },
  queue_exists: { status: 409, title: "A queue with this id already exists.", retry: "never" },
  queue_limit_reached: { status: 409, title: "The maximum number of queues is reached.", retry: "never" },
  queue_occupied: { status: 409, title: "The queue is not empty.", retry: "later" },
  queue_routed: { status: 409, title: "Routes lead to this queue.", retry: "never" },
  route_exists: { status: 409, title: "A route with this host and path leads to another queue.", retry: "never" },
  route_limit_reached: { status: 409, title: "The maximum number of routes is reached.", retry: "never" },
  version_conflict: { status: 409, title: "This was changed since you read it.", retry: "later" },
  auction_frozen: { status: 409, title: "Orders cannot be cancelled or changed before the opening.", retry: "later" },
  balance_insufficient: { status: 409, title: "The available balance is insufficient.", retry: "later" },
  client_order_id_reused: { status: 409, title: "This client order id belongs to another order.", retry: "never" },
  client_list_id_reused: { status: 409, title: "This client list id belongs to another list.", retry: "never" },
  amend_unsupported: { status: 409, title: "This order cannot be amended or replaced.", retry: "never" },
  currency_fixed: { status: 409, title: "The decimals of a currency cannot be changed.", retry: "never" },
  fill_or_kill_unfillable: { status: 409, title: "The order could not be filled completely.", retry: "later" },
  no_liquidity: { status: 409, title: "There is no order to trade with.", retry: "later" },
  list_not_active: { status: 409, title: "The order list is no longer active.", retry: "never" },
  trailing_orders_limit: { status: 409, title: "The pair has too many trailing orders.", retry: "later" },
  would_trigger_immediately: { status: 409, title: "The order would trigger immediately.", retry: "later" },
  open_orders_limit: { status: 409, title: "The maximum number of open orders is reached.", retry: "later" },
  order_not_open: { status: 409, title: "The order is no longer open.", retry: "never" },
  pair_changed: { status: 409, title: "The pair's tick or lot size has changed.", retry: "later" },
  pair_halted: { status: 409, title: "Trading in this pair is halted.", retry: "later" },
  pair_has_orders: { status: 409, title: "This pair has open orders.", retry: "later" },
  pair_in_auction: { status: 409, title: "The pair's terms are fixed during its auction.", retry: "later" },
  pair_opening: { status: 409, title: "The pair is opening at this moment.", retry: "later" },
  post_only_would_trade: { status: 409, title: "The post-only order would have traded at once.", retry: "later" },
  reference_reused: { status: 409, title: "This reference was used for another operation.", retry: "never" },
  self_trade: { status: 409, title: "The order would have traded with one of your own orders.", retry: "later" },
  subscription_limit_reached: { status: 409, title: "The maximum number of subscriptions is reached.", retry: "never" },
  request_timeout: { status: 408, title: "The request took too long to arrive.", retry: "later" },
  body_too_large: { status: 413, title: "The body is too large.", retry: "never" },
  url_too_long: { status: 414, title: "The URL is too long.", retry: "never" },
  media_type_unsupported: { status: 415, title: "The body must be application/json, in UTF-8.", retry: "never" },
  host_unknown: { status: 421, title: "This host is not served here.", retry: "never" },
  frame_unknown: { status: 422, title: "The frame of the candles is unknown.", retry: "never" },
  range_reversed: { status: 422, title: "The range ends before it begins.", retry: "never" },
  range_too_long: { status: 422, title: "The range is too long.", retry: "never" },
  time_zone_unknown: { status: 422, title: "The time zone is unknown.", retry: "never" },
  validation_failed: { status: 422, title: "Some fields are invalid.", retry: "never" },
  resume_invalid: { status: 422, title: "The position to resume from is invalid.", retry: "never" },
  amount_too_large: { status: 422, title: "The amount is too large.", retry: "never" },
  amend_below_filled: { status: 422, title: "The new quantity is not more than is filled.", retry: "never" },
  amend_upward: { status: 422, title: "An amend can only reduce the quantity.", retry: "never" },
  amend_without_effect: { status: 422, title: "The amend would change nothing.", retry: "never" },
  cancel_after_invalid: { status: 422, title: "The time until orders are cancelled is invalid.", retry: "never" },
  expiry_invalid: { status: 422, title: "The expiry is invalid.", retry: "never" },
  list_orders_invalid: { status: 422, title: "These orders cannot form a list.", retry: "never" },
  list_prices_invalid: { status: 422, title: "The prices of the list's orders do not fit together.", retry: "later" },
  percentage_invalid: { status: 422, title: "The target profit or stop loss is invalid.", retry: "never" },
  trailing_invalid: { status: 422, title: "The trailing distance is invalid.", retry: "never" },
  trigger_price_missing: { status: 422, title: "The order has no trigger price.", retry: "never" },
  auction_order_unsupported: { status: 422, title: "The auction does not accept such an order.", retry: "later" },
  auction_price_required: { status: 422, title: "This order needs a price in the auction.", retry: "never" },
  auction_time_past: { status: 422, title: "The opening time has passed.", retry: "never" },
  price_outside_band: { status: 422, title: "The price is too far from the last price.", retry: "later" },
  terms_invalid: { status: 422, title: "These terms are invalid for a pair.", retry: "never" },
  value_below_minimum: { status: 422, title: "The order's value is below the pair's minimum.", retry: "never" },
  value_too_large: { status: 422, title: "The order's value is too large.", retry: "never" },
  upgrade_required: { status: 426, title: "This address accepts WebSocket connections only.", retry: "never" },
  precondition_required: { status: 428, title: "This change requires the If-Match header.", retry: "never" },
  proof_required: { status: 428, title: "This queue requires a proof of work.", retry: "never" },
  proof_refused: { status: 428, title: "The proof of work is invalid or was used before.", retry: "never" },
  address_limit: { status: 429, title: "The maximum number of places for your address is reached.", retry: "later" },
  rate_limited: { status: 429, title: "Too many requests.", retry: "later" },
  socket_limit_reached: { status: 429, title: "The maximum number of connections is reached.", retry: "later" },
  headers_too_large: { status: 431, title: "The request's headers are too large.", retry: "never" },
  internal_error: { status: 500, title: "Something went wrong on our side.", retry: "later" },
  origin_unreachable: { status: 502, title: "The application is unavailable.", retry: "later" },
  admission_keys_unavailable: { status: 503, title: "Passes cannot be verified at the moment.", retry: "later" },
  event_over: { status: 503, title: "This event is over.", retry: "later" },
  backlog_full: {
    status: 503,
    title: "The permanent record is behind. New requests are refused until it has caught up.",
    retry: "later",
  },
  engine_unavailable: { status: 503, title: "Trading is unavailable at the moment.", retry: "later" },
  database_unavailable: { status: 503, title: "The permanent record is unavailable at the moment.", retry: "later" },
  market_data_unavailable: { status: 503, title: "Market data is unavailable at the moment.", retry: "later" },
  chart_busy: { status: 503, title: "Too many chart images are being drawn.", retry: "later" },
  operator_access_off: { status: 503, title: "Operator access is off: no token is set.", retry: "never" },
  queue_closed: { status: 503, title: "This queue is closed to new visitors.", retry: "later" },
  queue_full: { status: 503, title: "This queue is full.", retry: "later" },
  queue_maintenance: { status: 503, title: "This page is under maintenance.", retry: "later" },
  queue_waiting: { status: 503, title: "This page has a waiting line.", retry: "later" },
  queue_unavailable: { status: 503, title: "The waiting line of this page is unavailable.", retry: "later" },
  store_full: {
    status: 503,
    title: "The venue's store is nearly full. New requests are refused until space is free.",
    retry: "later",
  },
  store_unavailable: { status: 503, title: "The store is unavailable at the moment.", retry: "later" },
  venue_maintenance: { status: 503, title: "The venue is under maintenance.", retry: "later" },
  venue_busy: { status: 503, title: "The venue is overloaded.", retry: "later" },
  venue_catching_up: { status: 503, title: "The latest changes are not visible yet.", retry: "later" },
  origin_timeout: { status: 504, title: "The application took too long to answer.", retry: "later" },
} as const satisfies Record<string, ErrorEntry>;

type ProblemOptions = {
  /** Only where an operator can choose it; else it is the catalogue's. */
  readonly status?: number;
  /** A sentence about this occurrence, and what the visitor can do about it. */
  readonly detail?: string;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The next step for a program, such as a proof of work. */
  readonly challenge?: Readonly<Record<string, unknown>>;
  /** Further members of the document (RFC 9457, 3.2). */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Every field at fault, by its path in the body or its name in the URL. */
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
};

/** How a refusal of the venue differs from its code's entry in the catalogue. */
export type RefusalOptions = Pick<ProblemOptions, "detail" | "errors" | "retryAfterSeconds" | "members" | "headers">;

/** RFC 9457 problem details, never cached: an error must not outlive its cause. */
export function problemResponse(code: ErrorCode, options: ProblemOptions = {}): Response {
  const { title, retry } = errorCatalogue[code];
  const status = options.status ?? errorCatalogue[code].status;
  const headers: Record<string, string> = {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    ...options.headers,
  };
  if (options.requestId !== undefined) headers["x-request-id"] = options.requestId;
  if (options.retryAfterSeconds !== undefined) headers["retry-after"] = String(options.retryAfterSeconds);
  const { detail, requestId, errors, challenge } = options;
  const body = {
    type: `urn:sluice:error:${code}`,
    title,
    status,
    code,
    retry,
    detail,
    requestId,
    errors,
    challenge,
    ...options.members,
  };
  return new Response(JSON.stringify(body), { status, headers });
}
