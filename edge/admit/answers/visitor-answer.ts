import { unreachable } from "../../../shared/assert.ts";
import type { EndReason } from "../../line/answer.ts";
import { forecastWait, type WaitEstimate } from "../../line/estimate.ts";
import { settingsInEvent } from "../../line/schedule.ts";
import type { QueueSettings } from "../../line/settings.ts";
import type { Visit } from "../../request/read-visit.ts";
import type { IssuedPass } from "../issue.ts";
import type { GuardedQueue } from "../open-gate.ts";
import type { ScheduledTurn, Turn } from "../turn.ts";
import { createVisitorCookies, type VisitorCookies } from "./visitor-cookies.ts";

/** The visitor's state as JSON; the page shows the same. */
export type VisitorAnswer = WaitingVisitor | EarlyVisitor | AdmittedVisitor | EndedVisitor;

export type WaitingVisitor = {
  readonly state: "waiting";
  readonly queueId: string;
  readonly ticket: string;
  /** By which the visitor finds their own number in a draw. */
  readonly ticketId: string;
  /** `prequeue`: the line does not move before `opensAt`. */
  readonly phase: "prequeue" | "line";
  readonly opensAt: number | null;
  /** Null while a draw keeps it secret. */
  readonly position: number | null;
  readonly total: number;
  readonly lane: number;
  readonly estimatedWaitSeconds: WaitEstimate;
  /** The room is full and no session has ended lately: the estimate is the best case. */
  readonly isStalled: boolean;
  /** In a stalled line: when the slot for this place is free at the latest, unless sessions inside are extended. */
  readonly latestEntryAt: number | null;
  readonly pollAfterMs: number;
  readonly enqueuedAt: number;
  readonly order: QueueSettings["order"];
  /** A paused line does not move. */
  readonly mode: QueueSettings["mode"];
  /** The operator's words, if there are any. */
  readonly message?: string;
};

/** Before places can be taken. */
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

export function earlyVisitor(
  { queueId }: Pick<Queue, "queueId">,
  { placesOpenAtMs, opensAtMs, pollAfterMs }: ScheduledTurn,
): EarlyVisitor {
  return {
    state: "prequeue",
    queueId,
    phase: "scheduled",
    placesOpenAt: placesOpenAtMs,
    opensAt: opensAtMs,
    pollAfterMs,
  };
}

function admittedVisitor(
  { queueId }: Pick<Queue, "queueId">,
  { token, sessionId, expiresAtMs }: IssuedPass,
): AdmittedVisitor {
  return { state: "admitted", queueId, pass: token, sessionId, expiresAt: expiresAtMs };
}

export function revokedVisitor({ queueId }: Queue, { banLeftMs }: Extract<Turn, { state: "revoked" }>): EndedVisitor {
  const ban = banLeftMs > 0 ? { mayJoinInSeconds: Math.ceil(banLeftMs / 1000) } : {};
  return { state: "ended", queueId, reason: "revoked", ...ban };
}

function endedVisitor({ queueId }: Queue, reason: EndReason): EndedVisitor {
  return { state: "ended", queueId, reason };
}

type Told = {
  readonly visit: Visit;
  readonly queue: GuardedQueue;
  readonly turn: ToldTurn;
  /** 201 for a new place. */
  readonly waitingStatus: 200 | 201;
  /** The request's pass belongs to a session that is over, and would contradict the new place. */
  readonly isPassOver?: boolean;
};

export type ToldTurn = Extract<Turn, { state: "waiting" | "scheduled" | "admitted" | "revoked" | "ended" }>;

/** The turns that `decide` answers with `tell`. */
export function isTold(turn: Turn | undefined): turn is ToldTurn {
  return turn !== undefined && TOLD.has(turn.state);
}

const TOLD: ReadonlySet<Turn["state"]> = new Set<ToldTurn["state"]>([
  "waiting",
  "scheduled",
  "admitted",
  "revoked",
  "ended",
]);

/** The answer of `enter` and `heartbeat`: JSON, and the same tokens as cookies. */
export function turnResponse({ visit, queue, turn, waitingStatus, isPassOver = false }: Told): Response {
  const cookies = createVisitorCookies(visit, queue);
  switch (turn.state) {
    case "waiting":
      cookies.setTicket(turn.issued);
      if (isPassOver) cookies.clear("pass");
      return json(waitingVisitor(queue, turn), waitingStatus, cookies);
    case "scheduled":
      return json(earlyVisitor(queue, turn), 200);
    case "admitted":
      return admittedResponse(visit, queue, turn.pass);
    case "revoked":
      // The tokens stay: a visitor who comes back with them gets the same answer, and joins again only on purpose.
      return json(revokedVisitor(queue, turn), 200);
    case "ended":
      cookies.clear("ticket");
      cookies.clear("pass");
      return json(endedVisitor(queue, turn.reason), 200, cookies);
    default:
      return unreachable(turn);
  }
}

export function admittedResponse(
  visit: Visit,
  queue: Pick<GuardedQueue, "gate" | "queueId">,
  pass: IssuedPass,
): Response {
  const cookies = createVisitorCookies(visit, queue);
  cookies.setPass(pass);
  return json(admittedVisitor(queue, pass), 200, cookies);
}

function json(answer: VisitorAnswer, status: number, cookies?: VisitorCookies): Response {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const response = new Response(JSON.stringify(answer), { status, headers });
  cookies?.addTo(response.headers);
  return response;
}
