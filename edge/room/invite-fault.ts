/** Why an invite failed; its visitor joins like any other, and sees the reason. */
export type InviteFault = (typeof INVITE_FAULTS)[number];

export const INVITE_FAULTS = ["invite_invalid", "invite_expired", "invite_used", "invite_revoked"] as const;
