import { z } from "zod";
import { idSchema, lifetimeClaims } from "../../shared/admission.ts";
import { PROOF_BITS_MAX, PROOF_BITS_MIN } from "../../shared/proof-of-work.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { KindRules } from "../../shared/verify-token.ts";

/** Work that a newcomer of one queue is asked for. Nothing is stored until it is done: what was asked stands in the token. */
export type Challenge = {
  readonly queueId: QueueId;
  readonly challengeId: string;
  readonly bits: number;
  /** A keyed hash of whom it was given to, where that is known. */
  readonly address?: string;
  readonly issuedAtSeconds: number;
  readonly expiresAtSeconds: number;
};

/** Long enough for the hardest one on a slow phone, short enough that nobody lays in a stock. */
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
