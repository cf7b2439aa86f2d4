import { z } from "zod";
import type { QueueId } from "../../shared/queue-id.ts";
import { idSchema, lifetimeClaims } from "../../shared/tokens/admission.ts";
import { PROOF_BITS_MAX, PROOF_BITS_MIN } from "../../shared/tokens/proof-of-work.ts";
import type { KindRules } from "../../shared/tokens/verify-token.ts";

/** Proof of work for a newcomer of one queue. Nothing is stored until it is done: the token contains the task. */
export type Challenge = {
  readonly queueId: QueueId;
  readonly challengeId: string;
  readonly bits: number;
  /** A keyed hash of the client's address, where it is known. */
  readonly address?: string;
  readonly issuedAtSeconds: number;
  readonly expiresAtSeconds: number;
};

/** Long enough for the hardest challenge on a slow phone, too short to collect solutions in advance. */
export const CHALLENGE_LIFETIME_SECONDS_MAX = 300;

const challengeClaimsSchema = z.object({
  ...lifetimeClaims,
  sub: idSchema,
  bits: z.int().min(PROOF_BITS_MIN).max(PROOF_BITS_MAX),
  address: idSchema.optional(),
});

export const challengeRules: KindRules<z.output<typeof challengeClaimsSchema>, Challenge> = {
  kind: "challenge",
  lifetimeSecondsMax: CHALLENGE_LIFETIME_SECONDS_MAX,
  claims: challengeClaimsSchema,
  read: ({ sub, bits, address, iat, exp }, queueId) => ({
    queueId,
    challengeId: sub,
    bits,
    ...(address !== undefined && { address }),
    issuedAtSeconds: iat,
    expiresAtSeconds: exp,
  }),
};
