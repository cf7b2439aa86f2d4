import { newId } from "../../shared/ids.ts";
import { addressIdentity } from "../../shared/net/ip-address.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { acceptedUntilMs } from "../../shared/tokens/admission.ts";
import { leadingZeroBits, proofText } from "../../shared/tokens/proof-of-work.ts";
import { sha256 } from "../../shared/tokens/same-bytes.ts";
import { log } from "../request/log.ts";
import { CHALLENGE_LIFETIME_SECONDS_MAX } from "../tokens/challenge.ts";
import type { GateFacts } from "./decide.ts";
import type { GuardedQueue } from "./open-gate.ts";

/** A challenge for a client: the token goes back with the solution. */
export type IssuedChallenge = {
  readonly token: string;
  readonly id: string;
  readonly bits: number;
  readonly algorithm: "sha-256";
  readonly expiresAt: number;
};

/** A client's solution. */
export type Proof = { readonly challenge: string; readonly nonce: string };

/** A proof that holds; the line spends it. */
export type CheckedProof = { readonly challengeId: string; readonly keepMs: number };

/**
 * Before and after an event there is no place to work for. A queue that opens when the store is unavailable cannot
 * check work then.
 */
export function owesProof({ gate, settings, phase }: GuardedQueue): boolean {
  if (settings.proofOfWork === 0 || phase === "scheduled" || phase === "over") return false;
  return !(settings.onStoreFailure === "open" && gate.store.isUnavailable());
}

type ProofOfRequest = { readonly state: GateFacts["proof"]; readonly checked?: CheckedProof };

/** Whether the request has done the work that its queue asks newcomers for. */
export async function proofOfRequest(queue: GuardedQueue, proof: Proof | undefined): Promise<ProofOfRequest> {
  if (!owesProof(queue)) return { state: "settled" };
  if (proof === undefined) return { state: "owed" };
  const checked = await checkProof(queue, proof);
  return checked.ok ? { state: "settled", checked: checked.value } : { state: "refused" };
}

/** Needs no store: a crowd, or those who only collect challenges, cost the line nothing. */
export async function issueChallenge(queue: GuardedQueue): Promise<IssuedChallenge> {
  const { gate, queueId, settings } = queue;
  const [challengeId, nowMs, bits] = [newId(gate.fillRandom), gate.clock.nowMs(), settings.proofOfWork];
  const expiresAtMs = nowMs + CHALLENGE_LIFETIME_SECONDS_MAX * 1000;
  const owner = await ownerOf(queue);
  const token = await gate.tokens.signChallenge({
    queueId,
    challengeId,
    bits,
    nowMs,
    expiresAtMs,
    ...(owner !== undefined && { address: owner }),
  });
  return { token, id: challengeId, bits, algorithm: "sha-256", expiresAt: Math.floor(expiresAtMs / 1000) * 1000 };
}

/** As hard as it was asked for, which may be a few minutes ago. Whether it was spent is for the line to say. */
async function checkProof(queue: GuardedQueue, proof: Proof): Promise<Result<CheckedProof, "wrong">> {
  const { gate, queueId } = queue;
  const nowMs = gate.clock.nowMs();
  const challenge = await gate.tokens.readChallenge(proof.challenge, { queueId, nowMs });
  if (!challenge.ok) {
    log("info", "a proof of work was refused", { queueId, reason: challenge.reason });
    return fail("wrong");
  }
  const { challengeId, bits, address: owner } = challenge.value;
  if (owner !== (await ownerOf(queue))) return fail("wrong");
  if (leadingZeroBits(await sha256(proofText(challengeId, proof.nonce))) < bits) return fail("wrong");
  return ok({ challengeId, keepMs: Math.max(1, acceptedUntilMs(challenge.value) - nowMs) });
}

async function ownerOf({ gate, clientAddress }: GuardedQueue): Promise<string | undefined> {
  return clientAddress === undefined ? undefined : gate.hashAddress(addressIdentity(clientAddress));
}
