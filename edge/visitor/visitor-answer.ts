import type { IssuedPass } from "../gate/issue.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import type { ScheduledTurn, Turn } from "../gate/turn.ts";
import type { EndReason } from "../queue/answer.ts";
import { settingsInEvent } from "../queue/schedule.ts";
import type { QueueSettings } from "../queue/settings.ts";
import { estimateWait, type WaitEstimate } from "./estimate.ts";

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

type EndedVisitor = { readonly state: "ended"; readonly queueId: string; readonly reason: EndReason };

type Queue = Pick<GuardedQueue, "queueId" | "settings" | "gate">;

export function waitingVisitor(
  { queueId, settings, gate }: Queue,
  { answer, issued }: Extract<Turn, { state: "waiting" }>,
): WaitingVisitor {
  const { position, total, pollAfterMs, admissionsPerSecond, opensAtMs } = answer;
  const opensInSeconds = opensAtMs === null ? 0 : Math.max(0, opensAtMs - gate.clock.nowMs()) / 1000;
  const { admissionRate } = opensAtMs === null ? settings : settingsInEvent(settings);
  const { token, ticket } = issued;
  const { order, mode, message } = settings;
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
    estimatedWaitSeconds: estimateWait({ position, total, admissionsPerSecond, admissionRate, opensInSeconds }),
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

export function endedVisitor({ queueId }: Queue, reason: EndReason): EndedVisitor {
  return { state: "ended", queueId, reason };
}
