import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import isRevokedSource from "./is-revoked.lua";
import revocationsSource from "./revocations.lua";
import revokePassSource from "./revoke-pass.lua";

const milliseconds = z.number().int().nonnegative();

export const revocationsScript = defineScript({
  name: "revocations",
  source: revocationsSource,
  keys: ["revoked", "all"],
  args: { sinceMs: milliseconds, limit: z.number().int().positive() },
  reply: z.tuple([milliseconds, milliseconds], z.string()),
});

export const isRevokedScript = defineScript({
  name: "is-revoked",
  source: isRevokedSource,
  keys: ["session", "pass", "all"],
  args: { issuedAtMs: milliseconds },
  reply: z.union([z.literal(0), z.literal(1)]),
});

export const revokePassScript = defineScript({
  name: "revoke-pass",
  source: revokePassSource,
  keys: ["revoked", "revocation"],
  args: { jti: z.string(), reason: z.string(), keepMs: z.number().int().positive() },
  reply: z.union([z.literal(0), z.literal(1)]),
});
