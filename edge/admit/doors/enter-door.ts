import { assert } from "../../../shared/assert.ts";
import { type ErrorCode, problemResponse } from "../../../shared/http/errors.ts";
import type { Visit } from "../../request/read-visit.ts";
import { sameSitePath } from "../../room/same-site-path.ts";
import { challengeResponse } from "../answers/challenge-response.ts";
import { refusalResponse } from "../answers/refusal.ts";
import { revokedResponse } from "../answers/revoked-response.ts";
import { isTold, type ToldTurn, turnResponse } from "../answers/visitor-answer.ts";
import { bannedSession, clearedBanCookie, createVisitorCookies } from "../answers/visitor-cookies.ts";
import { comesWithoutCookies, sentBy } from "../asks.ts";
import type { GuardedQueue } from "../open-gate.ts";
import { proofOfRequest } from "../proof-of-work.ts";
import type { EndedSession } from "../sessions/ending.ts";
import { keepMetadata, noteMetadata } from "../sessions/session-metadata.ts";
import { readInvite, type Settled, settle } from "../settle.ts";
import { wantsOf } from "../wants.ts";
import { type EnterBody, readEnterBody } from "./enter-body.ts";
import { heldAlone, insideAnswer } from "./heartbeat-door.ts";
import { type OwnCall, passFact, queueOfCall, type ShownTokens, shownTokens } from "./queue-of-route.ts";

/**
 * `POST /_sluice/queues/{id}/enter`: 201 with a new place in line, 200 for a known or admitted visitor. It is also the
 * only way back after a revocation. The button on our page sends it as a form, and gets a page.
 */
export async function enterDoor(call: OwnCall): Promise<Response> {
  const { visit } = call;
  const wants = wantsOf(visit.request) === "form" ? "form" : "json";
  const body = wants === "form" ? NO_BODY : await readEnterBody(visit.request);
  if (!body.ok) return problemResponse(body.reason.code, { requestId: visit.requestId, ...body.reason });
  const found = await queueOfCall(call, heldAlone);
  if (!found.ok) return found.reason;
  const { queue } = found.value;
  if (wants === "form" && comesWithoutCookies(sentBy(visit, queue.settings.sameSite)))
    return refusalResponse({ code: "other_site_form", wants, visit, queue });
  const welcomed = await welcome(visit, queue, { ...body.value, wants });
  return wants === "form" ? enterPage(visit, queue, welcomed) : welcomed.answer;
}

const NO_BODY = { ok: true, value: {} } as const;

type Asked = EnterBody & { readonly wants: "form" | "json" };

async function welcome(visit: Visit, queue: GuardedQueue, asked: Asked): Promise<Welcomed> {
  const shown = await shownTokens(visit, queue);
  if (!shown.ok) return { answer: shown.reason, refusedAs: "token_invalid" };
  const { ticket, pass } = shown.value;
  const banned = await bannedSession(visit, queue);
  const invite = asked.invite === undefined ? undefined : await readInvite(queue, asked.invite);
  const proof = await proofOfRequest(queue, asked.proof);
  const facts = {
    door: "enter",
    wants: asked.wants,
    asks: "visitor",
    pass: passFact(shown.value),
    ban: banned === undefined ? "none" : "shown",
    ticket: ticket === undefined ? "none" : "valid",
    proof: proof.state,
  } as const;
  const ended = banned === undefined ? pass?.pass : { sessionId: banned };
  const settled = await settle(queue, facts, { held: ticket, invite, proof: proof.checked, ended });
  const metadata = asked.metadata && JSON.stringify(asked.metadata);
  return answerTo(settled, { visit, queue, shown: shown.value, metadata, banned, ended });
}

type Newcomer = {
  readonly visit: Visit;
  readonly queue: GuardedQueue;
  readonly shown: ShownTokens;
  readonly metadata: string | undefined;
  readonly banned: string | undefined;
  readonly ended: EndedSession | undefined;
};

async function answerTo({ decision, asked, turn }: Settled, newcomer: Newcomer): Promise<Welcomed> {
  const { visit, queue, shown, metadata, banned, ended } = newcomer;
  const isPlaceAsked = asked !== "nothing" && asked !== "ending";
  const endedBan = banned !== undefined && isPlaceAsked ? clearedBanCookie(visit, queue.queueId) : undefined;
  switch (decision.kind) {
    case "inside":
      if (shown.pass !== undefined) noteMetadata(queue, { sessionId: shown.pass.pass.sessionId, metadata });
      return { answer: await insideAnswer(visit, queue, shown) };
    case "tell":
      assert(isTold(turn), "the line was asked");
      return { answer: withCookie(await placeResponse(newcomer, turn), endedBan) };
    case "challenge":
      return {
        answer: await challengeResponse({ queue, visit, wants: "json", code: decision.code }),
        refusedAs: decision.code,
      };
    case "revoked":
      assert(turn?.state === "revoked", "the session was revoked");
      return {
        answer: await revokedResponse({
          queue,
          turn,
          as: decision.as,
          visit,
          ended: isPlaceAsked ? sessionOf(shown) : ended,
        }),
      };
    default:
      assert(decision.kind === "refuse", "a join is answered or refused");
      return {
        answer: withCookie(refusalResponse({ code: decision.code, wants: "json", visit, turn }), endedBan),
        refusedAs: decision.code,
      };
  }
}

function withCookie(answer: Response, cookie: string | undefined): Response {
  if (cookie !== undefined) answer.headers.append("set-cookie", cookie);
  return answer;
}

async function placeResponse({ visit, queue, shown, metadata }: Newcomer, taken: ToldTurn): Promise<Response> {
  const turn = metadata === undefined ? taken : await keepMetadata(queue, taken, metadata);
  const isKnown = turn.state === "waiting" && turn.issued.ticket.ticketId === shown.ticket?.ticket.ticketId;
  return turnResponse({ visit, queue, turn, waitingStatus: isKnown ? 200 : 201, isPassOver: shown.isRevoked });
}

/** The session of a revoked place has the id of its ticket. */
function sessionOf({ ticket }: ShownTokens): EndedSession | undefined {
  return ticket && { sessionId: ticket.ticket.ticketId };
}

/** The answer of `enter`, and its error code if it is a problem without a page. */
export type Welcomed = { readonly answer: Response; readonly refusedAs?: ErrorCode };

/** The page with the button handles these itself: it does the work, or joins without the tokens. */
const GOES_BACK: ReadonlySet<ErrorCode> = new Set(["proof_required", "proof_refused", "token_invalid"]);

/**
 * The answer of `enter` to the button on our page: a redirect to the page with the button, with the new ticket or pass
 * in the cookies. An answer that is a page already stays one, and a refusal becomes one.
 */
function enterPage(visit: Visit, queue: GuardedQueue, { answer, refusedAs: code }: Welcomed): Response {
  if (answer.headers.get("content-type")?.startsWith("text/html")) return answer;
  if (code !== undefined && !GOES_BACK.has(code)) return refusalResponse({ code, wants: "form", visit, queue });
  const location = sameSitePath(visit.request.headers.get("referer"), visit.target.host) ?? "/";
  const response = new Response(null, {
    status: 303,
    headers: { location, "cache-control": "no-store", "x-request-id": visit.requestId },
  });
  for (const cookie of answer.headers.getSetCookie()) response.headers.append("set-cookie", cookie);
  if (code === undefined) return response;
  // The visitor wants to join again: the tokens of the ended session would contradict that.
  const cookies = createVisitorCookies(visit, queue);
  cookies.clear("pass");
  cookies.clear("ticket");
  return cookies.putOn(response);
}
