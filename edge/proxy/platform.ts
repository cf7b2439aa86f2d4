import type { Visit } from "../request/read-visit.ts";

/** The differences between the runtimes of the edge. Everything else is the same app. */
export type Platform = {
  /** Sends a request to the origin and brings the answer back, with every promise of `proxy/forward.ts`. */
  readonly forward: (visit: Visit, forwarding?: Forwarding) => Promise<Response>;
  /** Watches a WebSocket response, and closes it when its session is over. */
  readonly watchSocket: (response: Response, watch: SessionWatch) => Response;
};

/** Work after the response: the platform's `waitUntil`. It must not reject. */
export type Later = (work: Promise<unknown>) => void;

/** How one request goes out. */
export type Forwarding = {
  /** Gets the origin's headers as they came, with those that are between the origin and the gate. */
  readonly onOriginHeaders?: (headers: Headers) => void;
  /**
   * The queue's own upstream, if it has one; it is asked under its own host, and told the visitor's in
   * `x-forwarded-host`.
   */
  readonly targetUrl?: string | null;
};

/** Whether the one who holds a socket may still do so. */
export type SessionState = "running" | "revoked" | "expired";

/** Looks after the session of an open WebSocket for as long as it is open. */
export type SessionWatch = {
  /** Asked every CHECK_MS, with whether the client has sent anything since. */
  readonly check: (use: { readonly isInUse: boolean }) => Promise<SessionState>;
};

/** Twice as often as the feed is read again: one check may only start the read, and the next one has its result. */
export const CHECK_MS = 500;

/** The close codes for both ends of the socket when the session is over. */
export const CLOSE_CODES = { revoked: 4001, expired: 4002 } as const;
