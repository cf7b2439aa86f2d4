import { z } from "zod";
import type { QueueId } from "../../shared/queue-id.ts";
import { idSchema, type Lane, laneSchema, lifetimeClaims } from "../../shared/tokens/admission.ts";
import type { KindRules } from "../../shared/tokens/verify-token.ts";

/**
 * A place in a lane of one queue, promised by an operator. Only the gate reads invites: a visitor brings one, the
 * origin never sees it.
 */
export type Invite = {
  readonly queueId: QueueId;
  readonly inviteId: string;
  readonly lane: Lane;
  /** How many places it is good for, all in all. */
  readonly uses: number;
  /** A keyed hash of the person it is for: invites with the same hash share one place. */
  readonly person?: string;
  readonly issuedAtSeconds: number;
  readonly expiresAtSeconds: number;
};

export const INVITE_USES_MAX = 10_000;
const DAY_SECONDS = 86_400;
/** A signing key must be kept for as long as invites that it signed are about. */
export const INVITE_LIFETIME_SECONDS_MAX = 90 * DAY_SECONDS;

const inviteClaimsSchema = z.object({
  ...lifetimeClaims,
  sub: idSchema,
  lane: laneSchema,
  uses: z.int().min(1).max(INVITE_USES_MAX),
  person: idSchema.optional(),
});

export const inviteRules: KindRules<z.output<typeof inviteClaimsSchema>, Invite> = {
  kind: "invite",
  lifetimeSecondsMax: INVITE_LIFETIME_SECONDS_MAX,
  claims: inviteClaimsSchema,
  read: ({ sub, lane, uses, person, iat, exp }, queueId) => ({
    queueId,
    inviteId: sub,
    lane,
    uses,
    ...(person !== undefined && { person }),
    issuedAtSeconds: iat,
    expiresAtSeconds: exp,
  }),
};
