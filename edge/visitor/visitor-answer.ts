import type { IssuedPass } from "../gate/issue.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import type { Turn } from "../gate/turn.ts";
import type { EndReason } from "../queue/answer.ts";
import { estimateWait, type WaitEstimate } from "./estimate.ts";

/** What a visitor is told, as JSON; the page shows the same. */
export type VisitorAnswer = WaitingVisitor | AdmittedVisitor | EndedVisitor;

export type WaitingVisitor = {
  readonly state: "waiting";
  readonly queueId: string;
  readonly ticket: string;
  readonly position: number;
  readonly total: number;
  readonly lane: number;
  readonly estimatedWaitSeconds: WaitEstimate;
  readonly pollAfterMs: number;
  readonly enqueuedAt: number;
};

type AdmittedVisitor = {
  readonly state: "admitted";
  readonly queueId: string;
  readonly pass: string;
  readonly sessionId: string;
  readonly expiresAt: number;
};

type EndedVisitor = { readonly state: "ended"; readonly queueId: string; readonly reason: EndReason };

type Queue = Pick<GuardedQueue, "queueId" | "settings">;

export function waitingVisitor({ queueId, settings }: Queue, { answer, issued }: Extract<Turn, { state: "waiting" }>): WaitingVisitor {
  const { position, total, pollAfterMs, admissionsPerSecond } = answer;
  const { token, ticket } = issued;
  return {
    state: "waiting",
    queueId,
    ticket: token,
    position,
    total,
    lane: ticket.lane,
    estimatedWaitSeconds: estimateWait({ position, admissionsPerSecond, admissionRate: settings.admissionRate }),
    pollAfterMs,
    enqueuedAt: ticket.issuedAtSeconds * 1000,
  };
}

export function admittedVisitor({ queueId }: Queue, { token, sessionId, expiresAtMs }: IssuedPass): AdmittedVisitor {
  return { state: "admitted", queueId, pass: token, sessionId, expiresAt: expiresAtMs };
}

export function endedVisitor({ queueId }: Queue, reason: EndReason): EndedVisitor {
  return { state: "ended", queueId, reason };
}
