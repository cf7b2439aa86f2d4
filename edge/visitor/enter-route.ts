import type { Context } from "hono";
import { problemResponse } from "../../shared/errors.ts";
import type { EdgeEnvironment } from "../env.ts";
import { askEnding, type EndedSession } from "../gate/ending.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import { checkProof, owesProof } from "../gate/proof-of-work.ts";
import { isPlaceOver, redeem } from "../gate/redeem.ts";
import { keepMetadata, noteMetadata } from "../gate/session-metadata.ts";
import { beat, enter, type Turn } from "../gate/turn.ts";
import { walkIn } from "../gate/walk-in.ts";
import type { Platform } from "../platform.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { comesWithoutCookies, sentBy } from "./asks.ts";
import { bannedSession, clearedBanCookie } from "./ban-cookie.ts";
import { type BroughtInvite, readInvite } from "./brought-invite.ts";
import { challengeResponse } from "./challenge-response.ts";
import { type EnterBody, readEnterBody } from "./enter-body.ts";
import { enterPage } from "./enter-page.ts";
import { heldAlone, insideAnswer } from "./heartbeat-route.ts";
import { queueOfRoute } from "./queue-of-route.ts";
import { refusalResponse } from "./refusal.ts";
import { revokedResponse } from "./revoked-response.ts";
import { isWorthUsing } from "./settle.ts";
import { type ShownTokens, shownTokens } from "./shown-tokens.ts";
import { turnResponse } from "./turn-response.ts";
import { wantsOf } from "./wants.ts";

/**
 * `POST /_sluice/queues/{id}/enter`: 201 with a place in line, 200 for a visitor who is known already or walks straight in. It is also the
 * one way back after a revocation; the button on our page sends it as a form, and is answered with a page.
 */
export function enterRoute(platform: Platform) {
  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const { visit } = c.var;
    const isForm = wantsOf(visit.request) === "form";
    const body = isForm ? NO_BODY : await readEnterBody(visit.request);
    if (!body.ok) return problemResponse(body.reason.code, { requestId: visit.requestId, ...body.reason });
    const found = await queueOfRoute(c, platform, heldAlone);
    if (!found.ok) return found.reason;
    const { queue } = found.value;
    if (isForm && comesWithoutCookies(sentBy(visit, queue.settings.sameSite)))
      return refusalResponse({ code: "other_site_form", wants: "form", visit, queue });
    const shown = await shownTokens(visit, queue);
    const answer = shown.ok ? await welcome(visit, queue, { ...shown.value, ...body.value }) : shown.reason;
    return isForm ? enterPage(visit, queue, answer) : answer;
  };
}

const NO_BODY = { ok: true, value: {} } as const;

type Shown = ShownTokens & EnterBody;

async function welcome(visit: Visit, queue: GuardedQueue, shown: Shown): Promise<Response> {
  const metadata = shown.metadata && JSON.stringify(shown.metadata);
  const inside = await insideAnswer(visit, queue, shown);
  if (inside === undefined) return welcomeNew(visit, queue, shown, metadata);
  if (shown.pass !== undefined) noteMetadata(queue, { sessionId: shown.pass.pass.sessionId, metadata });
  return inside;
}

async function welcomeNew(visit: Visit, queue: GuardedQueue, shown: Shown, metadata: string | undefined): Promise<Response> {
  const banned = await bannedSession(visit, queue);
  const ended = banned === undefined ? shown.pass?.pass : { sessionId: banned };
  const ending = ended === undefined ? undefined : await askEnding(queue, ended);
  if (ending?.state === "revoked" && ending.banLeftMs > 0) return stillBanned(visit, queue, { turn: ending, ended });
  const { mode } = queue.settings;
  if (mode === "maintenance") return refusalResponse({ code: "queue_maintenance", wants: "json", visit });
  const address = visit.headers.get("x-forwarded-for") ?? undefined;
  const place: Place = mode === "open" ? await walkIn(queue) : await takePlace(queue, shown, address);
  return placeResponse(visit, queue, { shown, place, metadata, address, isBanOver: banned !== undefined });
}

type Taken = {
  readonly shown: Shown;
  readonly place: Place;
  readonly metadata: string | undefined;
  readonly address: string | undefined;
  readonly isBanOver: boolean;
};

async function placeResponse(visit: Visit, queue: GuardedQueue, taken: Taken): Promise<Response> {
  const { shown, place, metadata, address, isBanOver } = taken;
  if (place.state === "faulty") return problemResponse(place.fault, { requestId: visit.requestId });
  if (place.state === "proof_owed" || place.state === "proof_spent") {
    const code = place.state === "proof_owed" && shown.proof === undefined ? "proof_required" : "proof_refused";
    return challengeResponse({ queue, visit, wants: "json", address, code });
  }
  const ticketId = shown.ticket?.ticket.ticketId;
  if (place.state === "revoked")
    return stillBanned(visit, queue, { turn: place, ended: ticketId === undefined ? undefined : { sessionId: ticketId } });
  const turn = metadata === undefined ? place : await keepMetadata(queue, place, metadata);
  const isKnown = turn.state === "waiting" && turn.issued.ticket.ticketId === ticketId;
  const response = await turnResponse({ visit, queue, turn, waitingStatus: isKnown ? 200 : 201, isPassOver: shown.isRevoked });
  if (isBanOver) response.headers.append("set-cookie", clearedBanCookie(visit, queue.queueId));
  return response;
}

type Revoked = { readonly turn: Extract<Turn, { state: "revoked" }>; readonly ended: EndedSession | undefined };

function stillBanned(visit: Visit, queue: GuardedQueue, { turn, ended }: Revoked): Promise<Response> {
  const as = wantsOf(visit.request) === "form" ? "refusalPage" : "problem";
  return revokedResponse({ queue, turn, as, visit, ended });
}

type Place = Turn | Extract<BroughtInvite, { state: "faulty" }> | { readonly state: "proof_owed" };

/** A visitor whose ticket was used up is a newcomer. An invite that is not good for a place is told so, and nobody joins by it. */
async function takePlace(queue: GuardedQueue, shown: Shown, address: string | undefined): Promise<Place> {
  const { ticket, invite: text } = shown;
  const invite = text === undefined ? undefined : await readInvite(queue, text);
  if (invite?.state === "faulty") return invite;
  if (invite !== undefined && isWorthUsing(invite.invite, ticket))
    return redeem(queue, { invite: invite.invite, held: ticket, address, isOnPurpose: true });
  const turn = ticket === undefined ? undefined : await beat(queue, ticket, address);
  return turn === undefined || isPlaceOver(turn, true) ? join(queue, shown, address) : turn;
}

async function join(queue: GuardedQueue, { proof }: Shown, address: string | undefined): Promise<Place> {
  if (!owesProof(queue) || queue.settings.mode === "drain") return enter(queue, address);
  const checked = proof === undefined ? undefined : await checkProof(queue, proof, address);
  return checked?.ok ? enter(queue, address, checked.value) : { state: "proof_owed" };
}
