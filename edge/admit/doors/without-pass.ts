import { AssertionError, assert } from "../../../shared/assert.ts";
import type { Pass } from "../../../shared/tokens/admission.ts";
import type { Visit } from "../../request/read-visit.ts";
import { challengeResponse } from "../answers/challenge-response.ts";
import { refusalResponse } from "../answers/refusal.ts";
import { revokedResponse } from "../answers/revoked-response.ts";
import {
  bannedSession,
  clearedBanCookie,
  createVisitorCookies,
  noticeCookie,
  noticeFrom,
  type VisitorCookies,
} from "../answers/visitor-cookies.ts";
import { earlyResponse, waitingResponse } from "../answers/waiting-response.ts";
import { asksOf, sentBy } from "../asks.ts";
import type { GateFacts } from "../decide.ts";
import type { GuardedQueue } from "../open-gate.ts";
import { type PresentedPass, presentedTicket } from "../presented.ts";
import { owesProof } from "../proof-of-work.ts";
import type { EndedSession } from "../sessions/ending.ts";
import { readInvite, type Settled, settle } from "../settle.ts";
import { wantsOf } from "../wants.ts";
import { forwardAdmitted, forwardOpen } from "./forward-admitted.ts";
import type { Meeting } from "./url-door.ts";

/**
 * A visitor without a valid pass: joins, polls or redeems an invite in one round trip, and is forwarded, shown the
 * line, or refused.
 */
export async function withoutPass(
  meeting: Meeting,
  queue: GuardedQueue,
  { pass, isRevoked }: Shown,
): Promise<Response> {
  const { visit } = meeting;
  if (pass.state === "slotless" && pass.by === "bearer") visit.headers.delete("authorization");
  const reading = { tokens: queue.gate.tokens, queueId: queue.queueId, nowMs: queue.gate.clock.nowMs() };
  const ticket = await presentedTicket(visit, reading);
  const banned = await bannedSession(visit, queue);
  const wants = wantsOf(visit.request);
  const facts = {
    door: "url",
    wants,
    asks: asksOf({ ...sentBy(visit, queue.settings.sameSite), wants }),
    proof: owesProof(queue) ? "owed" : "settled",
    pass: isRevoked ? "revoked" : pass.state,
    ban: banned ? "shown" : "none",
    ticket: ticket.state,
  } as const;
  const held = ticket.state === "valid" ? ticket.held : undefined;
  const invite = meeting.invite === undefined ? undefined : await readInvite(queue, meeting.invite);
  const ended = endedSession(pass, banned);
  const { decision, turn, fault } = await settle(queue, facts, { held, invite, ended });
  if (decision.kind === "revoked") {
    assert(turn?.state === "revoked", "the session was revoked");
    return revokedResponse({ queue, turn, as: decision.as, visit, ended });
  }
  const cookies = clearedCookies(visit, queue, facts);
  return cookies.putOn(await carryOut({ ...meeting, queue, facts, cookies, turn, fault }, decision));
}

type Shown = { readonly pass: PresentedPass; readonly isRevoked: boolean };

/** The cookie of a ban says more than a pass, which may be of a later session. */
function endedSession(pass: PresentedPass, banned: string | undefined): EndedSession | undefined {
  if (banned !== undefined) return { sessionId: banned };
  return pass.state === "valid" ? pass.held.pass : undefined;
}

type Cleared = Pick<GateFacts, "asks" | "pass" | "ticket" | "ban">;

/** Removes the cookies that no longer count. A part of a page says nothing about the cookies that its visitor has. */
function clearedCookies(visit: Visit, queue: GuardedQueue, { asks, pass, ticket, ban }: Cleared): VisitorCookies {
  const cookies = createVisitorCookies(visit, queue);
  if (asks === "part") return cookies;
  const isOfOpenQueue = pass === "slotless" && queue.settings.mode === "open";
  if (pass !== "none" && !isOfOpenQueue) cookies.clear("pass");
  if (ticket === "invalid") cookies.clear("ticket");
  if (ban !== "none") cookies.add(clearedBanCookie(visit, queue.queueId));
  return cookies;
}

type Outcome = Meeting & {
  readonly queue: GuardedQueue;
  readonly facts: Pick<GateFacts, "wants">;
  readonly cookies: VisitorCookies;
} & Pick<Settled, "turn" | "fault">;

function carryOut(
  outcome: Outcome,
  decision: Exclude<Settled["decision"], { kind: "revoked" }>,
): Response | Promise<Response> {
  const { visit, queue, facts, turn, cookies, fault } = outcome;
  switch (decision.kind) {
    case "forward":
      if (leavesUrl(outcome)) return withoutInvite(outcome);
      return decision.pass === "new"
        ? asNewcomer(outcome)
        : forwardOpen(outcome, { queueId: queue.queueId, targetUrl: queue.settings.targetUrl });
    case "wait":
      assert(turn?.state === "waiting", "the visitor waits");
      if (leavesUrl(outcome)) return withoutInvite(outcome);
      cookies.setTicket(turn.issued);
      return waitingResponse({
        queue,
        turn,
        as: decision.as,
        visit,
        notice: fault ?? noticeFrom(visit, queue.queueId),
      });
    case "early":
      assert(turn?.state === "scheduled", "the visitor came before places can be taken");
      return earlyResponse({ queue, turn, as: decision.as, visit });
    case "challenge":
      return challengeResponse({ queue, visit, wants: facts.wants, code: decision.code });
    case "refuse":
      return refusalResponse({ code: decision.code, wants: facts.wants, visit, queue, turn });
    default:
      throw new AssertionError(`${decision.kind} is no answer at a protected URL`);
  }
}

/** A browser is redirected to the URL without the invite; a program gets its answer at once. */
function leavesUrl({ invite, facts }: Outcome): boolean {
  return invite !== undefined && facts.wants === "page";
}

/** The invite was used or failed. After a refusal it stays in the URL for the next try. */
function withoutInvite({ visit, queue, turn, cookies, fault }: Outcome): Response {
  if (turn?.state === "waiting") cookies.setTicket(turn.issued);
  if (turn?.state === "admitted") cookies.setPass(turn.pass);
  const response = cleanRedirect(visit);
  if (fault !== undefined) response.headers.append("set-cookie", noticeCookie(visit, queue.queueId, fault));
  return response;
}

/** Admitted by this request: it is forwarded with the new pass, and the response sets the pass as a cookie. */
async function asNewcomer(outcome: Outcome): Promise<Response> {
  const { queue, turn, cookies } = outcome;
  assert(turn?.state === "admitted", "the visitor was admitted");
  cookies.setPass(turn.pass);
  const { token, sessionId } = turn.pass;
  const read = await queue.gate.tokens.readPass(token, { queueId: queue.queueId, nowMs: queue.gate.clock.nowMs() });
  assert(read.ok, "the gate reads what it has signed");
  const pass: Pass = read.value;
  assert(pass.sessionId === sessionId, "a pass names its session");
  return forwardAdmitted(outcome, queue, { token, pass }, cookies);
}

/**
 * Redirects to the same page without the invite, which must not stay in the address bar, the history or a Referer. The
 * path is the normalised one: it begins with one slash and cannot name another host.
 */
export function cleanRedirect({ target, requestId }: Visit): Response {
  const headers = {
    location: target.path + target.query,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  };
  return new Response(null, { status: 303, headers: { ...headers, "x-request-id": requestId } });
}
