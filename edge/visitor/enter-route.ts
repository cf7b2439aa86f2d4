import type { Context } from "hono";
import { problemResponse } from "../../shared/errors.ts";
import type { EdgeEnvironment } from "../env.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import { checkProof, owesProof } from "../gate/proof-of-work.ts";
import { redeem } from "../gate/redeem.ts";
import { keepMetadata, noteMetadata } from "../gate/session-metadata.ts";
import { beat, enter, type Turn } from "../gate/turn.ts";
import { walkIn } from "../gate/walk-in.ts";
import type { Platform } from "../platform.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { type BroughtInvite, readInvite } from "./brought-invite.ts";
import { challengeResponse } from "./challenge-response.ts";
import { type EnterBody, readEnterBody } from "./enter-body.ts";
import { heldAlone, insideAnswer } from "./heartbeat-route.ts";
import { queueOfRoute } from "./queue-of-route.ts";
import { refusalResponse } from "./refusal.ts";
import { isWorthUsing } from "./settle.ts";
import { type ShownTokens, shownTokens } from "./shown-tokens.ts";
import { turnResponse } from "./turn-response.ts";

/** `POST /_sluice/queues/{id}/enter`: 201 with a place in line, 200 for somebody who is known already or walks straight in. */
export function enterRoute(platform: Platform) {
  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const { visit } = c.var;
    const body = await readEnterBody(visit.request);
    if (!body.ok) return problemResponse(body.reason.code, { requestId: visit.requestId, ...body.reason });
    const found = await queueOfRoute(c, platform, heldAlone);
    if (!found.ok) return found.reason;
    const { queue } = found.value;
    const shown = await shownTokens(visit, queue);
    if (!shown.ok) return shown.reason;
    return welcome(visit, queue, { ...shown.value, ...body.value });
  };
}

type Shown = ShownTokens & EnterBody;

async function welcome(visit: Visit, queue: GuardedQueue, shown: Shown): Promise<Response> {
  const metadata = shown.metadata && JSON.stringify(shown.metadata);
  const inside = await insideAnswer(visit, queue, shown);
  if (inside === undefined) return welcomeNew(visit, queue, shown, metadata);
  if (shown.pass !== undefined) noteMetadata(queue, { sessionId: shown.pass.pass.sessionId, metadata });
  return inside;
}

async function welcomeNew(visit: Visit, queue: GuardedQueue, shown: Shown, metadata: string | undefined): Promise<Response> {
  const { mode } = queue.settings;
  if (mode === "maintenance") return refusalResponse({ code: "queue_maintenance", wants: "json", visit });
  const address = visit.headers.get("x-forwarded-for") ?? undefined;
  const place: Place = mode === "open" ? await walkIn(queue) : await takePlace(queue, shown, address);
  if (place.state === "faulty") return problemResponse(place.fault, { requestId: visit.requestId });
  if (place.state === "proof_owed" || place.state === "proof_spent") {
    const code = place.state === "proof_owed" && shown.proof === undefined ? "proof_required" : "proof_refused";
    return challengeResponse({ queue, visit, wants: "json", address, code });
  }
  const turn = metadata === undefined ? place : await keepMetadata(queue, place, metadata);
  const isKnown = turn.state === "waiting" && turn.issued.ticket.ticketId === shown.ticket?.ticket.ticketId;
  return turnResponse({ visit, queue, turn, waitingStatus: isKnown ? 200 : 201 });
}

type Place = Turn | Extract<BroughtInvite, { state: "faulty" }> | { readonly state: "proof_owed" };

/** Who comes with a ticket that was used up is a newcomer. An invite that is not good for a place is told so, and nobody joins by it. */
async function takePlace(queue: GuardedQueue, shown: Shown, address: string | undefined): Promise<Place> {
  const { ticket, invite: text } = shown;
  const invite = text === undefined ? undefined : await readInvite(queue, text);
  if (invite?.state === "faulty") return invite;
  if (invite !== undefined && isWorthUsing(invite.invite, ticket)) return redeem(queue, { invite: invite.invite, held: ticket, address });
  const turn = ticket === undefined ? undefined : await beat(queue, ticket, address);
  return turn === undefined || turn.state === "ended" ? join(queue, shown, address) : turn;
}

async function join(queue: GuardedQueue, { proof }: Shown, address: string | undefined): Promise<Place> {
  if (!owesProof(queue) || queue.settings.mode === "drain") return enter(queue, address);
  const checked = proof === undefined ? undefined : await checkProof(queue, proof, address);
  return checked?.ok ? enter(queue, address, checked.value) : { state: "proof_owed" };
}
