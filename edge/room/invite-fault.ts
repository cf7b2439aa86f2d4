/** Why an invite did not help; its bearer joins like everybody else, and is told. */
export type InviteFault = (typeof INVITE_FAULTS)[number];

export const INVITE_FAULTS = ["invite_invalid", "invite_expired", "invite_used", "invite_revoked"] as const;
