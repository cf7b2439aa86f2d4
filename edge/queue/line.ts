import type { ScriptRunner } from "../../shared/define-script.ts";
import type { EndReason, LineAnswer } from "./answer.ts";
import { addressKey, queueKeys, revocationKey, sessionKey, usedKey } from "./keys.ts";
import { beatScript, endScript, enterScript, leaveScript, sweepScript, touchScript } from "./scripts.ts";

/**
 * The line of one queue: who waits, who goes in. Each verb is one atomic script and one round trip, and may be repeated
 * after a lost reply. Promises, whatever is killed: never more than `maxActive` slots, never more admissions than the
 * buckets allow, strict order among those present. When the store is away every verb rejects and has changed nothing.
 */
export type Line = {
  readonly enter: (visitor: { ticketId: string; lane: number; addressHash: string; ticketsPerIp: number }) => Promise<LineAnswer>;
  readonly beat: (visitor: { ticketId: string; order: number }) => Promise<LineAnswer>;
  readonly leave: (visitor: { ticketId: string }) => Promise<LineAnswer>;
  readonly end: (session: { sessionId: string; reason: Exclude<EndReason, "expired">; detail?: string }) => Promise<{ hasMore: boolean }>;
  readonly sweep: () => Promise<{ hasMore: boolean }>;
  /** When the session ends, or 0 when it has ended. */
  readonly touch: (session: { sessionId: string; views: number; renew: boolean }) => Promise<number>;
};

type LineOptions = {
  readonly store: ScriptRunner;
  readonly queueId: string;
  /** How long a ticket of this queue can come back: its longest life. */
  readonly ticketLifeMs: number;
  /** 0 to 1. */
  readonly random: () => number;
  /** Only a simulation has a clock of its own; the running edge leaves the time to Redis. */
  readonly simulatedNowMs?: () => number;
};

/** Sweeps are for nobody in particular. */
const NO_TICKET = "-";

export function openLine({ store, queueId, ticketLifeMs, random, simulatedNowMs }: LineOptions): Line {
  const queue = queueKeys(queueId);
  const now = () => simulatedNowMs?.() ?? ("" as const);
  const lineKeys = (ticketId: string) => ({ ...queue, used: usedKey(queueId, ticketId) });
  const lineArgs = (ticketId: string) => ({ ticketId, nowMs: now(), jitter: random(), keepMs: ticketLifeMs });

  return {
    enter: ({ ticketId, lane, addressHash, ticketsPerIp }) =>
      enterScript.run(store, {
        keys: { ...lineKeys(ticketId), address: addressKey(queueId, addressHash) },
        args: { ...lineArgs(ticketId), lane, ticketsPerIp },
      }),
    beat: ({ ticketId, order }) => beatScript.run(store, { keys: lineKeys(ticketId), args: { ...lineArgs(ticketId), order } }),
    leave: ({ ticketId }) => leaveScript.run(store, { keys: lineKeys(ticketId), args: lineArgs(ticketId) }),
    end: ({ sessionId, reason, detail = "" }) =>
      endScript.run(store, {
        keys: { ...lineKeys(sessionId), revocation: revocationKey(queueId, sessionId) },
        args: { ...lineArgs(sessionId), reason, detail },
      }),
    sweep: () => sweepScript.run(store, { keys: lineKeys(NO_TICKET), args: lineArgs(NO_TICKET) }),
    touch: ({ sessionId, views, renew }) =>
      touchScript.run(store, {
        keys: { meta: queue.meta, active: queue.active, ready: queue.ready, session: sessionKey(queueId, sessionId) },
        args: { sessionId, nowMs: now(), views, renew: renew ? 1 : 0 },
      }),
  };
}
