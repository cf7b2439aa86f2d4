import { errorCatalogue, problemResponse } from "../../../shared/http/errors.ts";
import type { Visit } from "../../request/read-visit.ts";
import { roomResponse } from "../../room/room-response.ts";
import type { Wants } from "../decide.ts";
import type { GuardedQueue } from "../open-gate.ts";
import { issueChallenge } from "../proof-of-work.ts";

type Challenged = {
  readonly queue: GuardedQueue;
  readonly visit: Visit;
  readonly wants: Wants;
  readonly code: "proof_required" | "proof_refused";
};

/**
 * Asks for work: a program gets what it needs to begin, a person a page that does it. That page is the beginning of the
 * wait and has its status.
 */
export async function challengeResponse({ queue, visit, wants, code }: Challenged): Promise<Response> {
  const challenge = await issueChallenge(queue);
  if (wants !== "page" && wants !== "form") return problemResponse(code, { requestId: visit.requestId, challenge });
  const { token, id, bits } = challenge;
  const next = { kind: "prove", challenge: { token, id, bits } } as const;
  const isFormRefused = wants === "form";
  const status = isFormRefused ? errorCatalogue[code].status : queue.settings.waitingStatus;
  return roomResponse({ visit, queue, state: { name: "checking" }, status, next, isFormRefused });
}
