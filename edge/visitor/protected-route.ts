import type { Context } from "hono";
import { PASS_HEADER, type Pass } from "../../shared/admission.ts";
import { assert, unreachable } from "../../shared/assert.ts";
import { problemResponse } from "../../shared/errors.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { EdgeEnvironment } from "../env.ts";
import type { Arrival, BypassRules } from "../gate/bypass-rules.ts";
import type { GateFacts } from "../gate/decide.ts";
import type { Known } from "../gate/directory.ts";
import type { EndedSession } from "../gate/ending.ts";
import type { Later } from "../gate/later.ts";
import { backgroundLineOf, type Gate, type GuardedQueue, gateOfIsolate, guardedQueue } from "../gate/open-gate.ts";
import type { VisitStore } from "../gate/outage.ts";
import { type HeldPass, type HeldTicket, type Presented, passForTarget, presentedPass, presentedTicket } from "../gate/presented.ts";
import { owesProof } from "../gate/proof-of-work.ts";
import type { FoundRoute, RouteTable } from "../gate/route-table.ts";
import { log } from "../log.ts";
import { countAnswer } from "../metrics/edge-counters.ts";
import type { Platform } from "../platform.ts";
import { readVisit, type Visit } from "../proxy/read-visit.ts";
import type { QueueRecord } from "../queue/registry.ts";
import { asksOf, sentBy } from "./asks.ts";
import { bannedSession, clearedBanCookie } from "./ban-cookie.ts";
import { readInvite, takeInvite } from "./brought-invite.ts";
import { challengeResponse } from "./challenge-response.ts";
import { cleanRedirect } from "./clean-redirect.ts";
import { forwardAdmitted } from "./forward-admitted.ts";
import { noticeCookie, noticeFrom } from "./invite-notice.ts";
import { refusalResponse } from "./refusal.ts";
import { revokedResponse } from "./revoked-response.ts";
import { type Settled, settle } from "./settle.ts";
import { atMissingQueue, atUnknownQueue } from "./unknown-queue.ts";
import { createVisitorCookies, type VisitorCookies } from "./visitor-cookies.ts";
import { earlyResponse, waitingResponse } from "./waiting-response.ts";
import { wantsOf } from "./wants.ts";

/**
 * Any URL that is not ours. With a valid pass it is forwarded without asking the store; without one the visitor joins or polls
 * in one round trip, and is forwarded, shown the line, or refused. One handler without middleware: Hono then adds next to nothing.
 */
export function protectedRoute(platform: Platform) {
  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const visit = readVisit(c.req.raw, c.env);
    if (!visit.ok) return visit.reason;
    c.set("visit", visit.value);
    const { configuration, requestId } = visit.value;
    const opened = gateOfIsolate(configuration);
    const gate = opened instanceof Promise ? await opened : opened;
    if (!gate.ok) {
      log("error", "SLUICE_SIGNING_KEYS cannot be used", { requestId, faults: gate.reason });
      return problemResponse("internal_error", { requestId });
    }
    const response = await meet({ c, gate: gate.value, visit: visit.value, platform, later: (work) => platform.later(c, work) });
    countAnswer("protected", response.status);
    return response;
  };
}

export type Meeting = {
  readonly c: Context<EdgeEnvironment>;
  readonly gate: Gate;
  readonly visit: Visit;
  readonly platform: Platform;
  readonly later: Later;
  /** The invite that the URL brought along; the visit is already without it. */
  readonly invite?: string;
};

/** On the way of everybody who is in, what is known at once is not awaited: each wait is another turn of the event loop's queue. */
async function meet(meeting: Meeting): Promise<Response> {
  const { gate, visit, platform, later } = meeting;
  const { tokens, clock } = gate;
  const store = gate.store.forVisit();
  const known = gate.directory.routes(later, store.remainingMs());
  const routes = known instanceof Promise ? await known : known;
  if (routes === "unknown") return atUnknownQueue(meeting, await passForTarget(visit, { tokens, nowMs: clock.nowMs() }));
  const route = routes.find(visit.target);
  const { bypass } = routes;
  for (const name of bypass?.headerNames ?? []) visit.headers.delete(name);
  if (route === undefined) return isMisdirected(visit, routes) ? hostRefused(visit) : platform.forward(visit);
  const brought = takeInvite(visit);
  if (brought !== undefined) return meetInvited({ ...meeting, visit: brought.visit, invite: brought.text }, { route, bypass, store });
  return await goThrough(meeting, { route, bypass, store });
}

type Way = { readonly route: FoundRoute; readonly bypass: BypassRules | undefined; readonly store: VisitStore };
/**
 * Whether a request may be on its way to a protected address under another name. The origin serves every name alike, unless it looks, so a
 * host that no route names is refused as long as any route names one; `SLUICE_UNKNOWN_HOSTS=forward` is for gates with unprotected hosts.
 */
function isMisdirected({ target, configuration }: Visit, routes: RouteTable): boolean {
  const host = routes.hostOf(target);
  return host === "nameless" || (host === "unknown" && !configuration.forwardsUnknownHosts);
}

/** RFC 9110, 15.5.20. */
function hostRefused({ requestId }: Visit): Response {
  return problemResponse("host_unknown", { requestId });
}

/** A body can only travel inside the request that it came in, and that one names the invite. */
function meetInvited(meeting: Meeting, way: Way): Response | Promise<Response> {
  const { method, hasBody, requestId } = meeting.visit;
  if (hasBody && (method === "GET" || method === "HEAD")) return problemResponse("request_ambiguous", { requestId });
  return goThrough(meeting, way);
}

async function goThrough(meeting: Meeting, { route, bypass, store }: Way): Promise<Response> {
  const { gate, visit, later } = meeting;
  const { tokens, clock } = gate;
  const queueId = route.queueId as QueueId;
  // Before anything is asked of the queue: a rule holds also while the queue is closed or the store is away; `decide` says the same.
  if (bypass !== undefined && (await bypass.fits(arrivalOf(visit, route)))) return pastQueue(meeting, queueId, store);
  const known = recordOf(meeting, queueId, store.remainingMs());
  const record = known instanceof Promise ? await known : known;
  if (record === "missing") return atMissingQueue(meeting);
  if (record === "unknown") return atUnknownQueue(meeting, await presentedPass(visit, { tokens, queueId, nowMs: clock.nowMs() }));
  return await atQueue(meeting, guardedQueue(gate, { queueId, record, store, later }));
}

/** An isolate that has never heard the store's time hears it first, in the same moment. */
function recordOf({ gate, later }: Meeting, queueId: QueueId, withinMs: number): Known<QueueRecord | "missing"> {
  const record = gate.directory.queue(queueId, later, withinMs);
  return gate.clock.isHeard()
    ? record
    : gate
        .memoryOf(queueId)
        .revocations.prepare(later, withinMs)
        .then(() => record);
}

function arrivalOf({ target, headers, request }: Visit, { pathRank }: FoundRoute): Arrival {
  const address = headers.get("x-forwarded-for") ?? undefined;
  // From the request itself: what is forwarded has lost its secrets by now.
  return { site: target.site, path: target.path, address, header: (name) => request.headers.get(name), routePathRank: pathRank };
}

async function atQueue(meeting: Meeting, queue: GuardedQueue): Promise<Response> {
  const { visit, later } = meeting;
  queue.sweeps.now(() => backgroundLineOf(queue), later);
  const reading = { tokens: queue.gate.tokens, queueId: queue.queueId, nowMs: queue.gate.clock.nowMs() };
  const shown = presentedPass(visit, reading);
  const pass = shown instanceof Promise ? await shown : shown;
  const check = { mode: queue.settings.revocationCheck, later, store: queue.store };
  const revoked = pass.state === "valid" && queue.revocations.isRevoked(pass.held.pass, check);
  const isRevoked = revoked instanceof Promise ? await revoked : revoked;
  // Most requests end here, and need neither a cookie of ours nor the client's wishes.
  if (pass.state === "valid" && !isRevoked) return await withPass(meeting, queue, pass);
  if (pass.state === "slotless" && pass.by === "bearer") visit.headers.delete("authorization");
  const ticket = await presentedTicket(visit, reading);
  const banned = await bannedSession(visit, queue);
  const facts = {
    ...askedOf(visit, queue),
    pass: isRevoked ? "revoked" : pass.state,
    ban: banned ? "shown" : "none",
    ticket: ticket.state,
  } as const;
  const held = pass.state === "valid" ? pass.held.pass : undefined;
  // The cookie of a ban says more than a pass, which may be of a later session.
  const ended = banned === undefined ? held && { sessionId: held.sessionId, jti: held.jti } : { sessionId: banned };
  return await withoutPass(meeting, queue, { facts, ticket, ended });
}

/** What the request itself and the queue's settings say. */
function askedOf(visit: Visit, queue: GuardedQueue) {
  const { mode, onStoreFailure, sameSite } = queue.settings;
  const store = queue.gate.store.isFailing() ? "failing" : "answering";
  const wants = wantsOf(visit.request);
  return {
    queue: { mode, onStoreFailure, phase: queue.phase, store },
    wants,
    asks: asksOf({ ...sentBy(visit, sameSite), wants }),
    proof: owesProof(queue) ? "owed" : "settled",
  } as const;
}

type Shown = {
  readonly facts: Omit<GateFacts, "turn" | "invite">;
  readonly ticket: Presented<HeldTicket>;
  readonly ended: EndedSession | undefined;
};

async function withoutPass(meeting: Meeting, queue: GuardedQueue, { facts, ticket, ended }: Shown): Promise<Response> {
  const { visit } = meeting;
  const invite = meeting.invite === undefined ? undefined : await readInvite(queue, meeting.invite);
  const address = visit.headers.get("x-forwarded-for") ?? undefined;
  const { decision, ...rest } = await settle(queue, facts, { ticket, invite, address, ended });
  if (decision.kind === "revoked") {
    assert(rest.turn?.state === "revoked", "only a revoked session is told so");
    return revokedResponse({ queue, turn: rest.turn, as: decision.as, visit, ended });
  }
  const cookies = createVisitorCookies(visit, queue);
  // A part of a page says nothing about the cookies that its visitor has.
  if (facts.asks !== "part") {
    const isOfOpenQueue = facts.pass === "slotless" && queue.settings.mode === "open";
    if (facts.pass !== "none" && !isOfOpenQueue) cookies.clear("pass");
    if (facts.ticket === "invalid") cookies.clear("ticket");
    if (facts.ban !== "none") cookies.add(clearedBanCookie(visit, queue.queueId));
  }
  return cookies.putOn(await carryOut({ ...meeting, queue, facts, cookies, ...rest, address }, decision));
}

/** Rule 2 of the gate, spelled out where it costs least; `decide` says the same. */
function withPass(
  meeting: Meeting,
  queue: GuardedQueue,
  { held, by }: Extract<Presented<HeldPass>, { state: "valid" }>,
): Promise<Response> {
  // Our own token is for us; what the application gets is the header that only we can set.
  if (by === "bearer") meeting.visit.headers.delete("authorization");
  if (meeting.invite !== undefined && wantsOf(meeting.visit.request) === "page") return Promise.resolve(cleanRedirect(meeting.visit));
  return forwardAdmitted(meeting, queue, held);
}

type Outcome = Meeting & {
  readonly queue: GuardedQueue;
  readonly facts: Pick<GateFacts, "wants">;
  readonly cookies: VisitorCookies;
  readonly address: string | undefined;
} & Omit<Settled, "decision">;

function carryOut(outcome: Outcome, decision: Exclude<Settled["decision"], { kind: "revoked" }>): Response | Promise<Response> {
  const { visit, queue, facts, turn, cookies, fault } = outcome;
  switch (decision.kind) {
    case "forward":
      if (leavesUrl(outcome)) return withoutInvite(outcome);
      return decision.pass === "new"
        ? asNewcomer(outcome)
        : withOpenPass(outcome, { queueId: queue.queueId, targetUrl: queue.settings.targetUrl });
    case "wait":
      assert(turn?.state === "waiting", "only who waits is told so");
      if (leavesUrl(outcome)) return withoutInvite(outcome);
      cookies.setTicket(turn.issued);
      return waitingResponse({ queue, turn, as: decision.as, visit, notice: fault ?? noticeFrom(visit, queue.queueId) });
    case "early":
      assert(turn?.state === "scheduled", "only who came too early is told so");
      return earlyResponse({ queue, turn, as: decision.as, visit });
    case "challenge":
      return challengeResponse({ queue, visit, wants: facts.wants, address: outcome.address, code: "proof_required" });
    case "refuse":
      return refusalResponse({ code: decision.code, wants: facts.wants, visit, queue, turn });
    default:
      return unreachable(decision);
  }
}

/** A person's browser goes on at the clean URL; a program is answered at once. */
function leavesUrl({ invite, facts }: Outcome): boolean {
  return invite !== undefined && facts.wants === "page";
}

/** The invite has done what it could. Where it has not come to that, as in a refusal, it stays in the URL for the next try. */
function withoutInvite({ visit, queue, turn, cookies, fault }: Outcome): Response {
  if (turn?.state === "waiting") cookies.setTicket(turn.issued);
  if (turn?.state === "admitted") cookies.setPass(turn.pass);
  const response = cleanRedirect(visit);
  if (fault !== undefined) response.headers.append("set-cookie", noticeCookie(visit, queue.queueId, fault));
  return response;
}

/** Admitted in this very request: it goes on with the new pass, and the pass goes home with the answer. */
async function asNewcomer(outcome: Outcome): Promise<Response> {
  const { queue, turn, cookies } = outcome;
  assert(turn?.state === "admitted", "only who was admitted goes in");
  cookies.setPass(turn.pass);
  const { token, sessionId } = turn.pass;
  const read = await queue.gate.tokens.readPass(token, { queueId: queue.queueId, nowMs: queue.gate.clock.nowMs() });
  assert(read.ok, "the gate reads what it has signed");
  const pass: Pass = read.value;
  assert(pass.sessionId === sessionId, "a pass is of its session");
  return forwardAdmitted(outcome, queue, { token, pass }, cookies);
}

/** Past the queue, but to where the queue leads; a queue that is not there leads to the gate's own origin. */
async function pastQueue(meeting: Meeting, queueId: QueueId, store: VisitStore): Promise<Response> {
  const record = await meeting.gate.directory.queue(queueId, meeting.later, store.remainingMs());
  if (record === "unknown") return atUnknownQueue(meeting, { state: "none" });
  return withOpenPass(meeting, { queueId, targetUrl: record === "missing" ? null : record.settings.targetUrl });
}

type OpenPassage = { readonly queueId: QueueId; readonly targetUrl: string | null };

async function withOpenPass({ gate, visit, platform }: Meeting, { queueId, targetUrl }: OpenPassage): Promise<Response> {
  visit.headers.set(PASS_HEADER, await gate.openPasses({ queueId, nowMs: gate.clock.nowMs() }));
  return platform.forward(visit, { targetUrl });
}
