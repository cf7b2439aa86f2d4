import type { Context } from "hono";
import { problemResponse } from "../../shared/errors.ts";
import { newId } from "../../shared/ids.ts";
import type { EdgeEnvironment } from "../env.ts";
import { issuePass } from "../gate/issue.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import { beat, enter, type Turn } from "../gate/turn.ts";
import type { Platform } from "../platform.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { readEnterBody } from "./enter-body.ts";
import { heldAnswer } from "./heartbeat-route.ts";
import { queueOfRoute } from "./queue-of-route.ts";
import { refusalResponse } from "./refusal.ts";
import { type ShownTokens, shownTokens } from "./shown-tokens.ts";
import { turnResponse } from "./turn-response.ts";

/** `POST /_sluice/queues/{id}/enter`: 201 with a place in line, 200 for somebody who is known already or walks straight in. */
export function enterRoute(platform: Platform) {
  return async (c: Context<EdgeEnvironment>): Promise<Response> => {
    const { visit } = c.var;
    const body = await readEnterBody(visit.request);
    if (!body.ok) return problemResponse(body.reason.code, { requestId: visit.requestId, ...body.reason });
    const found = await queueOfRoute(c, platform);
    if (!found.ok) return found.reason;
    const { queue } = found.value;
    const shown = await shownTokens(visit, queue);
    if (!shown.ok) return shown.reason;
    return welcome(visit, queue, shown.value);
  };
}

async function welcome(visit: Visit, queue: GuardedQueue, shown: ShownTokens): Promise<Response> {
  if (shown.pass !== undefined && !shown.isRevoked) return heldAnswer(visit, queue, shown.pass);
  const { mode } = queue.settings;
  if (mode === "maintenance") return refusalResponse({ code: "queue_maintenance", wants: "json", requestId: visit.requestId });
  const address = visit.headers.get("x-forwarded-for") ?? undefined;
  const turn = mode === "open" ? await walkIn(queue) : await takePlace(queue, shown, address);
  const isKnown = turn.state === "waiting" && turn.issued.ticket.ticketId === shown.ticket?.ticket.ticketId;
  return turnResponse({ visit, queue, turn, waitingStatus: isKnown ? 200 : 201 });
}

/** Who comes with a ticket that was used up is a newcomer. */
async function takePlace(queue: GuardedQueue, { ticket }: ShownTokens, address: string | undefined): Promise<Turn> {
  const turn = ticket === undefined ? undefined : await beat(queue, ticket, address);
  return turn === undefined || turn.state === "ended" ? enter(queue, address) : turn;
}

/** As long as an open queue's passes live: when the line closes again, nobody stays in for longer. */
const OPEN_PASS_MS = 60_000;

/** An open queue has no slots; its pass is of a session that the store has never heard of. */
async function walkIn({ gate, queueId }: GuardedQueue): Promise<Turn> {
  const nowMs = gate.clock.nowMs();
  const session = { queueId, sessionId: newId(gate.fillRandom), slotEndMs: nowMs + OPEN_PASS_MS };
  const pass = await issuePass(gate.tokens, session, { nowMs, fillRandom: gate.fillRandom });
  return pass === undefined ? { state: "failed" } : { state: "admitted", pass };
}
