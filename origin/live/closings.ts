/** Why we close a socket, with the code that its client sees; the reason is sent with it. `docs/errors.md` says what to do about each. */
export const CLOSINGS = {
  not_signed_in: 4401,
  session_ended: 4403,
  token_expired: 4408,
  role_changed: 4409,
  rate_limited: 4429,
  socket_limit_reached: 4430,
  venue_maintenance: 4503,
  store_unavailable: 1013,
  stopping: 1001,
  internal_error: 1011,
} as const;

export type Closing = keyof typeof CLOSINGS;
