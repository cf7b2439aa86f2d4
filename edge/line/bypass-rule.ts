import { z } from "zod";

/**
 * Requests that bypass every queue. Everything that a rule names must match: the path, the client's network, a secret
 * in a header. Only the digest of the secret is kept.
 */
export type BypassRule = z.output<typeof bypassRuleSchema>;

/** Always taken away before the origin, so it is the safe choice; other names are taken away while a rule uses them. */
export const BYPASS_HEADER = "x-sluice-bypass";

export const CIDRS_MAX = 100;

export const bypassRuleSchema = z.strictObject({
  host: z.string(),
  path: z.string().optional(),
  cidrs: z.array(z.string()).max(CIDRS_MAX).optional(),
  header: z
    .strictObject({
      name: z.string(),
      secretSha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex digits"),
    })
    .optional(),
  note: z.string().optional(),
});
