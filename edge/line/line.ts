import type { Drawn } from "../../shared/draw.ts";
import type { ScriptRunner } from "../../shared/store/define-script.ts";
import { ACCEPTED_PAST_END_MS, acceptedForMs } from "../../shared/tokens/admission.ts";
import type { EndReason, LineAnswer } from "./answer.ts";
import {
  addressKey,
  banKey,
  inviteKey,
  personKey,
  proofKey,
  queueKeys,
  revocationKey,
  sessionKey,
  usedKey,
} from "./keys.ts";
import { beatScript, endScript, enterScript, leaveScript, sweepScript, touchScript } from "./scripts/scripts.ts";
import { PERSON_KEEP_MS } from "./settings.ts";

/**
 * The line of one queue: its waiting visitors and its slots. Each verb is one atomic script and one round trip, and may
 * be repeated after a lost reply. It promises, whatever is killed: never more than `maxActive` slots, never more
 * admissions than the buckets allow, strict order among the visitors present. When the store is unavailable every verb
 * rejects and has changed nothing.
 */
export type Line = {
  readonly enter: (visitor: Newcomer) => Promise<LineAnswer>;
  readonly beat: (visitor: Ticketed & { order: number }) => Promise<LineAnswer>;
  readonly leave: (visitor: Ticketed) => Promise<LineAnswer>;
  readonly end: (session: Ending) => Promise<{ hasMore: boolean }>;
  readonly sweep: () => Promise<{ hasMore: boolean }>;
  /** When the session's slot returns, or 0 when the session has ended. */
  readonly touch: (session: Touch) => Promise<number>;
};

type Ending = {
  readonly sessionId: string;
  readonly reason: Exclude<EndReason, "expired">;
  readonly detail?: string;
  /** Only if a page of the session was closed at this time and no request came since. */
  readonly leavingAtMs?: number;
};

export type Touch = {
  readonly sessionId: string;
  readonly views: number;
  /** `look` changes nothing, `note` keeps the session's end, `renew` gives the full time again. */
  readonly how: "look" | "note" | "renew";
  /** The pass is that of a session which was not claimed when it was signed. */
  readonly isFirst?: boolean;
};

export type Newcomer = {
  readonly ticketId: string;
  readonly lane: number;
  readonly addressHash: string;
  readonly ticketsPerIp: number;
  /** The ticket's number in the draw, if it joins before the opening. */
  readonly drawn?: Drawn | undefined;
  readonly invite?: InviteUse | undefined;
  /** The place of the visitor's own ticket: a visitor who waits already and redeems an invite. */
  readonly heldOrder?: number | undefined;
  readonly ticketLeftMs?: TicketLeftMs | undefined;
  /** Which proof of work the join is paid with, and for how long it could be shown again. */
  readonly proof?: { readonly challengeId: string; readonly keepMs: number } | undefined;
};

export type InviteUse = {
  readonly inviteId: string;
  readonly uses: number;
  /** The last moment at which the invite can be accepted. */
  readonly keptUntilMs: number;
  readonly person: string | undefined;
  /** A ticket that this person had before and that is used up. */
  readonly replaced?: string | undefined;
};

type Ticketed = {
  readonly ticketId: string;
  readonly isKeyed?: boolean;
  readonly ticketLeftMs?: TicketLeftMs;
};

/**
 * How long the visitor's ticket can still be accepted: one that was signed when the queue kept places for longer can
 * come back for longer than one of today.
 */
type TicketLeftMs = number;

type LineOptions = {
  readonly store: ScriptRunner;
  readonly queueId: string;
  /** The longest life of a ticket of this queue. */
  readonly ticketLifeMs: number;
  /** 0 to 1. */
  readonly random: () => number;
  /** Only a simulation has its own clock; the running edge takes the time from Redis. */
  readonly simulatedNowMs?: () => number;
};

/** A sweep has no ticket. */
const NO_TICKET = "-";
const NOT_DRAWN = { drawSpan: -1, number: 0 };
/** Names a key that is never touched. */
const NOBODY = "-";
const NO_INVITE: InviteUse = { inviteId: NOBODY, uses: 0, keptUntilMs: 0, person: undefined };
const NO_PROOF = { challengeId: NOBODY, keepMs: 0 };
const NOT_HELD = -1;

export function openLine({ store, queueId, ticketLifeMs, random, simulatedNowMs }: LineOptions): Line {
  const queue = queueKeys(queueId);
  const now = () => simulatedNowMs?.() ?? ("" as const);
  const lineKeys = (ticketId: string) => ({ ...queue, used: usedKey(queueId, ticketId) });
  const lineArgs = ({ ticketId, isKeyed = false, ticketLeftMs = 0 }: Ticketed) => {
    const keepMs = Math.max(
      acceptedForMs(ticketLifeMs),
      Math.ceil(ticketLeftMs),
      isKeyed ? acceptedForMs(PERSON_KEEP_MS) : 0,
    );
    return { ticketId, nowMs: now(), jitter: random(), keepMs };
  };

  return {
    enter: (newcomer) => {
      const { ticketId, lane, addressHash, ticketsPerIp, drawn = NOT_DRAWN, ticketLeftMs = 0 } = newcomer;
      const { invite = NO_INVITE, heldOrder = NOT_HELD, proof = NO_PROOF } = newcomer;
      const { inviteId, uses, keptUntilMs, person, replaced = "" } = invite;
      const isKeyed = person !== undefined;
      return enterScript.run(store, {
        keys: {
          ...lineKeys(ticketId),
          address: addressKey(queueId, addressHash),
          invite: inviteKey(queueId, inviteId),
          person: personKey(queueId, person ?? NOBODY),
          proof: proofKey(queueId, proof.challengeId),
        },
        args: {
          ...lineArgs({ ticketId, isKeyed, ticketLeftMs }),
          lane,
          ticketsPerIp,
          ...drawn,
          inviteUses: uses,
          inviteKeptUntilMs: keptUntilMs,
          isKeyed: isKeyed ? 1 : 0,
          replacedTicketId: replaced,
          heldOrder,
          proofMs: proof.keepMs,
        },
      });
    },
    beat: ({ order, ...visitor }) =>
      beatScript.run(store, { keys: lineKeys(visitor.ticketId), args: { ...lineArgs(visitor), order } }),
    leave: (visitor) => leaveScript.run(store, { keys: lineKeys(visitor.ticketId), args: lineArgs(visitor) }),
    end: ({ sessionId, reason, detail = "", leavingAtMs }) =>
      endScript.run(store, {
        keys: {
          ...lineKeys(sessionId),
          revocation: revocationKey(queueId, sessionId),
          ban: banKey(queueId, sessionId),
          session: sessionKey(queueId, sessionId),
        },
        args: {
          ...lineArgs({ ticketId: sessionId }),
          reason,
          detail,
          acceptedPastEndMs: ACCEPTED_PAST_END_MS,
          leavingAtMs: leavingAtMs ?? "",
        },
      }),
    sweep: () => sweepScript.run(store, { keys: lineKeys(NO_TICKET), args: lineArgs({ ticketId: NO_TICKET }) }),
    touch: ({ sessionId, views, how, isFirst = false }) =>
      touchScript.run(store, {
        keys: { meta: queue.meta, active: queue.active, ready: queue.ready, session: sessionKey(queueId, sessionId) },
        args: { sessionId, nowMs: now(), views, how, isFirst: isFirst ? 1 : 0 },
      }),
  };
}
