import { acceptedUntilMs } from "../../shared/admission.ts";
import { newId } from "../../shared/ids.ts";
import { addressIdentity } from "../../shared/ip-address.ts";
import { leadingZeroBits, proofText } from "../../shared/proof-of-work.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { sha256 } from "../../shared/same-bytes.ts";
import { log } from "../log.ts";
import { CHALLENGE_LIFETIME_SECONDS_MAX } from "../token/challenge.ts";
import type { GuardedQueue } from "./open-gate.ts";

/** What a client needs to begin: the token goes back with the solution. */
export type IssuedChallenge = {
  readonly token: string;
  readonly id: string;
  readonly bits: number;
  readonly algorithm: "sha-256";
  readonly expiresAt: number;
};

/** What a client brings back. */
export type Proof = { readonly challenge: string; readonly nonce: string };

/** A proof that holds; the line spends it. */
export type CheckedProof = { readonly challengeId: string; readonly keepMs: number };

/** Where the store is away and the queue opens then, nobody could hand a solution in: the way is open without. */
export function owesProof({ gate, settings, phase }: GuardedQueue): boolean {
  if (settings.proofOfWork === 0 || settings.mode === "open") return false;
  // There is no place to work for.
  if (phase === "scheduled" || phase === "over") return false;
  return !(settings.onStoreFailure === "open" && gate.store.isAway());
}

/** Needs no store: a crowd, or those who only collect challenges, cost the line nothing. */
export async function issueChallenge(queue: GuardedQueue, address: string | undefined): Promise<IssuedChallenge> {
  const { gate, queueId, settings } = queue;
  const [challengeId, nowMs, bits] = [newId(gate.fillRandom), gate.clock.nowMs(), settings.proofOfWork];
  const expiresAtMs = nowMs + CHALLENGE_LIFETIME_SECONDS_MAX * 1000;
  const owner = await ownerOf(queue, address);
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
export async function checkProof(queue: GuardedQueue, proof: Proof, address: string | undefined): Promise<Result<CheckedProof, "wrong">> {
  const { gate, queueId } = queue;
  const nowMs = gate.clock.nowMs();
  const challenge = await gate.tokens.readChallenge(proof.challenge, { queueId, nowMs });
  if (!challenge.ok) {
    log("info", "a proof of work was refused", { queueId, reason: challenge.reason });
    return fail("wrong");
  }
  const { challengeId, bits, address: owner } = challenge.value;
  if (owner !== (await ownerOf(queue, address))) return fail("wrong");
  if (leadingZeroBits(await sha256(proofText(challengeId, proof.nonce))) < bits) return fail("wrong");
  return ok({ challengeId, keepMs: Math.max(1, acceptedUntilMs(challenge.value) - nowMs) });
}

async function ownerOf({ gate }: GuardedQueue, address: string | undefined): Promise<string | undefined> {
  return address === undefined ? undefined : gate.hashAddress(addressIdentity(address));
}
