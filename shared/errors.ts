/**
 * The one catalogue of error codes. A code is a promise: clients switch on it, so it is never renamed.
 * `docs/errors.md` lists the same codes, and a test compares the two.
 */
export type ErrorCode = keyof typeof errorCatalogue;

type ErrorEntry = {
  readonly status: number;
  /** What the public may know: it never says which check failed inside. */
  readonly title: string;
  /** Whether the same request can succeed on another try. */
  readonly retry: "never" | "later";
};

export const errorCatalogue = {
  path_not_plain: { status: 400, title: "The path is not written in its plain form.", retry: "never" },
  request_ambiguous: { status: 400, title: "The request's framing can be read in two ways.", retry: "never" },
  json_malformed: { status: 400, title: "The body is not JSON that can be read in one way.", retry: "never" },
  operator_token_invalid: { status: 401, title: "The operator token is missing or wrong.", retry: "never" },
  token_invalid: { status: 401, title: "The ticket or pass is missing or not valid.", retry: "never" },
  invite_invalid: { status: 401, title: "The invite is not valid here.", retry: "never" },
  invite_expired: { status: 401, title: "The invite has run out.", retry: "never" },
  console_call_foreign: { status: 403, title: "This call was not made by the console.", retry: "never" },
  credentials_invalid: { status: 401, title: "The name or the password is wrong.", retry: "never" },
  not_signed_in: { status: 401, title: "You are not signed in, or no longer.", retry: "never" },
  refresh_token_invalid: { status: 401, title: "The refresh token is not valid, or no longer.", retry: "never" },
  key_expired: { status: 401, title: "The API key has run out.", retry: "never" },
  request_replayed: { status: 401, title: "This request was made before.", retry: "never" },
  signature_invalid: { status: 401, title: "The API key or the signature is not valid.", retry: "never" },
  timestamp_outside_window: { status: 401, title: "The request was not made just now.", retry: "later" },
  account_inactive: { status: 403, title: "This account is not active.", retry: "never" },
  account_suspended: { status: 403, title: "This account is suspended.", retry: "never" },
  address_not_allowed: { status: 403, title: "The API key may not be used from here.", retry: "never" },
  account_frozen: { status: 403, title: "This account may not trade or move money at the moment.", retry: "never" },
  permission_missing: { status: 403, title: "The API key is not for this.", retry: "never" },
  not_allowed: { status: 403, title: "This is not yours to do.", retry: "never" },
  other_site_refused: { status: 403, title: "Requests from pages of other sites are not served.", retry: "never" },
  session_revoked: { status: 403, title: "This session was ended by the organiser.", retry: "never" },
  session_banned: { status: 403, title: "This session was ended by the organiser, who lets its visitor join again later.", retry: "later" },
  other_site_form: {
    status: 403,
    title: "A form of another site arrived without the visitor's cookies. It was not carried out.",
    retry: "never",
  },
  not_found: { status: 404, title: "There is nothing at this address.", retry: "never" },
  queue_not_found: { status: 404, title: "There is no queue of this id.", retry: "never" },
  route_not_found: { status: 404, title: "Route not found.", retry: "never" },
  session_not_found: { status: 404, title: "There is no session of this id.", retry: "never" },
  draw_not_found: { status: 404, title: "This queue has no draw to check.", retry: "never" },
  key_not_found: { status: 404, title: "There is no key of this id.", retry: "never" },
  user_not_found: { status: 404, title: "There is no account of this id.", retry: "never" },
  command_not_found: { status: 404, title: "Nothing is known of this command, or no longer.", retry: "never" },
  currency_not_found: { status: 404, title: "There is no currency of this name.", retry: "never" },
  order_not_found: { status: 404, title: "There is no order of this id.", retry: "never" },
  pair_not_found: { status: 404, title: "There is no pair of this name.", retry: "never" },
  method_not_allowed: { status: 405, title: "This method is not served.", retry: "never" },
  invite_used: { status: 409, title: "The invite has been used.", retry: "never" },
  invite_revoked: { status: 409, title: "The invite was taken back.", retry: "never" },
  account_exists: { status: 409, title: "There is an account with this name or address already.", retry: "never" },
  key_limit_reached: { status: 409, title: "There are as many API keys as there may be.", retry: "never" },
  venue_key_exists: { status: 409, title: "There is a key of this venue already.", retry: "never" },
  last_admin: { status: 409, title: "Somebody must be left who can be an admin.", retry: "never" },
  queue_exists: { status: 409, title: "There is a queue of this id already.", retry: "never" },
  queue_limit_reached: { status: 409, title: "There are as many queues as there may be.", retry: "never" },
  queue_occupied: { status: 409, title: "There are people in this queue.", retry: "later" },
  queue_routed: { status: 409, title: "Routes lead to this queue.", retry: "never" },
  route_exists: { status: 409, title: "A route with this host and path leads to another queue.", retry: "never" },
  route_limit_reached: { status: 409, title: "The table of routes is full.", retry: "never" },
  version_conflict: { status: 409, title: "Somebody else has changed this since you read it.", retry: "later" },
  balance_insufficient: { status: 409, title: "There is not enough available for this.", retry: "later" },
  client_order_id_reused: { status: 409, title: "This client order id stands for another order.", retry: "never" },
  currency_fixed: { status: 409, title: "The decimals of a currency cannot be changed.", retry: "never" },
  fill_or_kill_unfillable: { status: 409, title: "The order could not be filled as a whole.", retry: "later" },
  no_liquidity: { status: 409, title: "Nobody is there to trade with.", retry: "later" },
  open_orders_limit: { status: 409, title: "There are as many open orders as there may be.", retry: "later" },
  order_not_open: { status: 409, title: "The order is not open any more.", retry: "never" },
  pair_changed: { status: 409, title: "The pair's ticks or lots have changed meanwhile.", retry: "later" },
  pair_halted: { status: 409, title: "This pair is not traded at the moment.", retry: "later" },
  pair_has_orders: { status: 409, title: "There are open orders in this pair.", retry: "later" },
  post_only_would_trade: { status: 409, title: "The order would have traded at once.", retry: "later" },
  reference_reused: { status: 409, title: "This reference stands for something else.", retry: "never" },
  self_trade: { status: 409, title: "The order would have traded with one of your own.", retry: "later" },
  request_timeout: { status: 408, title: "The request took too long to arrive.", retry: "later" },
  body_too_large: { status: 413, title: "The body is too large.", retry: "never" },
  url_too_long: { status: 414, title: "The URL is too long.", retry: "never" },
  media_type_unsupported: { status: 415, title: "The body must be application/json, in UTF-8.", retry: "never" },
  host_unknown: { status: 421, title: "This host is not served here.", retry: "never" },
  validation_failed: { status: 422, title: "Some fields cannot be taken as they are.", retry: "never" },
  amount_too_large: { status: 422, title: "The amount is larger than can be held.", retry: "never" },
  price_outside_band: { status: 422, title: "The price is too far from the last one.", retry: "later" },
  terms_invalid: { status: 422, title: "A pair cannot be traded under these terms.", retry: "never" },
  value_below_minimum: { status: 422, title: "The order is worth less than the pair's minimum.", retry: "never" },
  value_too_large: { status: 422, title: "The order is worth more than can be traded.", retry: "never" },
  upgrade_required: { status: 426, title: "This address is for WebSockets.", retry: "never" },
  precondition_required: { status: 428, title: "This change needs the header If-Match.", retry: "never" },
  proof_required: { status: 428, title: "This queue asks newcomers for a proof of work.", retry: "never" },
  proof_refused: { status: 428, title: "The proof of work does not hold, or was used before.", retry: "never" },
  address_limit: { status: 429, title: "There are as many places for your address as there may be.", retry: "later" },
  rate_limited: { status: 429, title: "That was too often.", retry: "later" },
  headers_too_large: { status: 431, title: "The request's headers are too large.", retry: "never" },
  internal_error: { status: 500, title: "Something went wrong on our side.", retry: "later" },
  origin_unreachable: { status: 502, title: "The application behind the gate cannot be reached.", retry: "later" },
  admission_keys_unavailable: { status: 503, title: "Passes cannot be checked at the moment.", retry: "later" },
  event_over: { status: 503, title: "This event is over.", retry: "later" },
  backlog_full: { status: 503, title: "The permanent record is behind: nothing new is taken until it has caught up.", retry: "later" },
  engine_unavailable: { status: 503, title: "Nothing can be traded at the moment.", retry: "later" },
  database_unavailable: { status: 503, title: "The permanent record does not answer at the moment.", retry: "later" },
  operator_access_off: { status: 503, title: "Operators are not let in: no token has been set.", retry: "never" },
  queue_closed: { status: 503, title: "This queue takes nobody new.", retry: "later" },
  queue_full: { status: 503, title: "This queue is full.", retry: "later" },
  queue_maintenance: { status: 503, title: "This page is being worked on.", retry: "later" },
  queue_waiting: { status: 503, title: "There is a line before this page.", retry: "later" },
  queue_unavailable: { status: 503, title: "The queue before this page is not there.", retry: "later" },
  store_full: { status: 503, title: "The venue's store is nearly full: nothing new is taken until there is room.", retry: "later" },
  store_unavailable: { status: 503, title: "The store does not answer at the moment.", retry: "later" },
  venue_maintenance: { status: 503, title: "The venue is being worked on.", retry: "later" },
  venue_busy: { status: 503, title: "There is too much to do at the moment.", retry: "later" },
  venue_catching_up: { status: 503, title: "What was done last cannot be seen yet.", retry: "later" },
  origin_timeout: { status: 504, title: "The application behind the gate took too long to answer.", retry: "later" },
} as const satisfies Record<string, ErrorEntry>;

type ProblemOptions = {
  /** Only where an operator can choose it; else it is the catalogue's. */
  readonly status?: number;
  /** A sentence on this occurrence; what the visitor can do about it. */
  readonly detail?: string;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the client can do to get further, for programs. */
  readonly challenge?: Readonly<Record<string, unknown>>;
  /** Further members of the document (RFC 9457, 3.2). */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Every field at fault, by its path in the body or its name in the URL. */
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
};

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
  const body = { type: `urn:sluice:error:${code}`, title, status, code, retry, detail, requestId, errors, challenge, ...options.members };
  return new Response(JSON.stringify(body), { status, headers });
}
