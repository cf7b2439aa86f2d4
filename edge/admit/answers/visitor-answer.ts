import type { IssuedPass } from "../gate/issue.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import type { ScheduledTurn, Turn } from "../gate/turn.ts";
import type { EndReason } from "../queue/answer.ts";
import { forecastWait, type WaitEstimate } from "../queue/estimate.ts";
import { settingsInEvent } from "../queue/schedule.ts";
import type { QueueSettings } from "../queue/settings.ts";

/** What a visitor is told, as JSON; the page shows the same. */
export type VisitorAnswer = WaitingVisitor | EarlyVisitor | AdmittedVisitor | EndedVisitor;

export type WaitingVisitor = {
  readonly state: "waiting";
  readonly queueId: string;
  readonly ticket: string;
  /** By which the visitor finds their own number in a draw. */
  readonly ticketId: string;
  /** `prequeue`: nobody goes in before `opensAt`. */
  readonly phase: "prequeue" | "line";
  readonly opensAt: number | null;
  /** Null while a draw keeps it secret. */
  readonly position: number | null;
  readonly total: number;
  readonly lane: number;
  readonly estimatedWaitSeconds: WaitEstimate;
  /** The room is full and nobody leaves at the moment: the estimate is only what is possible. */
  readonly isStalled: boolean;
  /** In a stalled line: when the slot for this place is free at the latest, unless sessions inside are extended. */
  readonly latestEntryAt: number | null;
  readonly pollAfterMs: number;
  readonly enqueuedAt: number;
  readonly order: QueueSettings["order"];
  /** How the line moves: nobody goes in while it is paused. */
  readonly mode: QueueSettings["mode"];
  /** The operator's words, if there are any. */
  readonly message?: string;
};

/** Came before anybody can take a place. */
export type EarlyVisitor = {
  readonly state: "prequeue";
  readonly queueId: string;
  readonly phase: "scheduled";
  /** When places can be taken, and when the line begins to move. */
  readonly placesOpenAt: number;
  readonly opensAt: number;
  readonly pollAfterMs: number;
};

type AdmittedVisitor = {
  readonly state: "admitted";
  readonly queueId: string;
  readonly pass: string;
  readonly sessionId: string;
  readonly expiresAt: number;
};

type EndedVisitor = {
  readonly state: "ended";
  readonly queueId: string;
  readonly reason: EndReason;
  /** In how many seconds the visitor may join again, where that is not now. */
  readonly mayJoinInSeconds?: number;
};

type Queue = Pick<GuardedQueue, "queueId" | "settings" | "gate">;

export function waitingVisitor(
  { queueId, settings, gate }: Queue,
  { answer, issued }: Extract<Turn, { state: "waiting" }>,
): WaitingVisitor {
  const { position, total, pollAfterMs, flow, opensAtMs, latestAtMs } = answer;
  const nowMs = gate.clock.nowMs();
  const opensInSeconds = opensAtMs === null ? 0 : Math.max(0, opensAtMs - nowMs) / 1000;
  const latestInSeconds = latestAtMs === null ? undefined : Math.max(0, latestAtMs - nowMs) / 1000;
  const { admissionRate } = opensAtMs === null ? settings : settingsInEvent(settings);
  const { token, ticket } = issued;
  const { order, mode, message } = settings;
  const forecast = forecastWait({ position, total, flow, admissionRate, opensInSeconds, latestInSeconds });
  return {
    state: "waiting",
    queueId,
    ticket: token,
    ticketId: ticket.ticketId,
    phase: opensAtMs === null ? "line" : "prequeue",
    opensAt: opensAtMs,
    position,
    total,
    lane: ticket.lane,
    estimatedWaitSeconds: forecast.estimate,
    isStalled: forecast.isStalled,
    latestEntryAt: forecast.isStalled ? latestAtMs : null,
    pollAfterMs,
    enqueuedAt: ticket.issuedAtSeconds * 1000,
    order,
    mode,
    ...(message !== "" && { message }),
  };
}

export function earlyVisitor({ queueId }: Pick<Queue, "queueId">, { placesOpenAtMs, opensAtMs, pollAfterMs }: ScheduledTurn): EarlyVisitor {
  return { state: "prequeue", queueId, phase: "scheduled", placesOpenAt: placesOpenAtMs, opensAt: opensAtMs, pollAfterMs };
}

export function admittedVisitor({ queueId }: Pick<Queue, "queueId">, { token, sessionId, expiresAtMs }: IssuedPass): AdmittedVisitor {
  return { state: "admitted", queueId, pass: token, sessionId, expiresAt: expiresAtMs };
}

export function revokedVisitor({ queueId }: Queue, { banLeftMs }: Extract<Turn, { state: "revoked" }>): EndedVisitor {
  const ban = banLeftMs > 0 ? { mayJoinInSeconds: Math.ceil(banLeftMs / 1000) } : {};
  return { state: "ended", queueId, reason: "revoked", ...ban };
}

export function endedVisitor({ queueId }: Queue, reason: EndReason): EndedVisitor {
  return { state: "ended", queueId, reason };
}
