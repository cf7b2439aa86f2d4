/**
 * The parts of the operator API's answers that the console shows, where a schema cannot be imported without its code.
 */

export type Percentiles = { readonly p50: number; readonly p90: number; readonly p99: number };

export type MinuteOfQueue = {
  readonly startsAt: number;
  readonly enqueued: number;
  readonly admitted: number;
  readonly expired: number;
  readonly left: number;
  readonly peakWaiting: number;
  readonly peakActive: number;
};

export type HourOfQueue = Omit<MinuteOfQueue, "peakActive"> & { readonly waitMs: Percentiles | null };

export type QueueStats = {
  readonly at: number;
  readonly totals: {
    readonly enqueued: number;
    readonly admitted: number;
    readonly expired: number;
    readonly left: number;
    readonly waitMs: Percentiles | null;
  };
  readonly hours: readonly HourOfQueue[];
  readonly minutes: readonly MinuteOfQueue[];
};

export type Session = {
  readonly sessionId: string;
  readonly state: "reserved" | "admitted";
  readonly expiresAt: number;
};

export type SessionPage = { readonly sessions: readonly Session[]; readonly nextCursor: string | null };

export type Invite = {
  readonly invite: string;
  readonly inviteId: string;
  readonly lane: number;
  readonly uses: number;
  readonly expiresAt: number;
};

export type AuditEntry = {
  readonly id: string;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly queueId: string | null;
  readonly before: unknown;
  readonly after: unknown;
  readonly requestId: string;
  /** `unknown`: it is not known whether the change was made. */
  readonly outcome: "done" | "unknown";
};

export type AuditPage = { readonly entries: readonly AuditEntry[]; readonly nextCursor: string | null };

export type Route = { readonly host: string; readonly path: string; readonly queueId: string };
