/** Whether the one who holds a socket may still do so. */
export type SessionState = "running" | "revoked" | "expired";

/** Looks after the session of an open WebSocket for as long as it is open. */
export type SessionWatch = {
  /** Asked every CHECK_MS, with whether the client has sent anything since. */
  readonly check: (use: { readonly isInUse: boolean }) => Promise<SessionState>;
};

export const CHECK_MS = 1_000;

/** What both ends of the socket are told when the session is over. */
export const CLOSE_CODES = { revoked: 4001, expired: 4002 } as const;
