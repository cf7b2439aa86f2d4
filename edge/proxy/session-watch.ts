/** Whether the one who holds a socket may still do so. */
export type SessionState = "running" | "revoked" | "expired";

/** Looks after the session of an open WebSocket for as long as it is open. */
export type SessionWatch = {
  /** Asked every CHECK_MS, with whether the client has sent anything since. */
  readonly check: (use: { readonly isInUse: boolean }) => Promise<SessionState>;
};

/** Twice as often as what is known gets read again: one question may only set the reading off, the next one hears of it. */
export const CHECK_MS = 500;

/** What both ends of the socket are told when the session is over. */
export const CLOSE_CODES = { revoked: 4001, expired: 4002 } as const;
