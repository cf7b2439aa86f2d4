import { errorCatalogue, problemResponse } from "../../shared/errors.ts";
import type { Wants } from "../gate/decide.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import { issueChallenge } from "../gate/proof-of-work.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { roomResponse } from "../room/room-response.ts";

type Challenged = {
  readonly queue: GuardedQueue;
  readonly visit: Visit;
  readonly wants: Wants;
  readonly address: string | undefined;
  readonly code: "proof_required" | "proof_refused";
};

/** Asks for work: a program gets what it needs to begin, a person a page that does it. That page is the beginning of the wait and has its status. */
export async function challengeResponse({ queue, visit, wants, address, code }: Challenged): Promise<Response> {
  const challenge = await issueChallenge(queue, address);
  if (wants !== "page" && wants !== "form") return problemResponse(code, { requestId: visit.requestId, challenge });
  const { token, id, bits } = challenge;
  const next = { kind: "prove", challenge: { token, id, bits } } as const;
  const isFormRefused = wants === "form";
  const status = isFormRefused ? errorCatalogue[code].status : queue.settings.waitingStatus;
  return roomResponse({ visit, queue, state: { name: "checking" }, status, next, isFormRefused });
}
