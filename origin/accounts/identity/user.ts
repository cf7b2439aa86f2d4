import { z } from "zod";

export const USER_ROLES = ["user", "admin"] as const;
export const USER_STATUSES = ["active", "inactive", "suspended"] as const;

/** One account in the record. Times are milliseconds since 1970. */
export type User = z.output<typeof userRowSchema>;

/** A row of `users`, the same in every statement. */
export const userRowSchema = z.object({
  id: z.string(),
  username: z.string(),
  email: z.string(),
  passwordHash: z.string(),
  role: z.enum(USER_ROLES),
  status: z.enum(USER_STATUSES),
  revision: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
  lastLoginAt: z.number().nullable(),
});

/** Names are not case-sensitive. */
export const usernameField = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9_]{3,32}$/, "must be 3 to 32 letters (a to z), digits or underscores");

const EMAIL_BYTES_MAX = 254;
const EMAIL = /^[^@\s\p{C}]{1,64}@[^@\s\p{C}.]+(?:\.[^@\s\p{C}.]+)+$/u;

/** One spelling for each address: normalized, trimmed, in lower case. */
export const emailField = z
  .string()
  .trim()
  .normalize("NFKC")
  .toLowerCase()
  .refine((text) => EMAIL.test(text) && Buffer.byteLength(text) <= EMAIL_BYTES_MAX, "must be an e-mail address");

/** The public part of an account. */
export const publicUserSchema = z.strictObject({
  id: z.string(),
  username: z.string(),
  email: z.string(),
  role: z.enum(USER_ROLES),
  status: z.enum(USER_STATUSES),
  createdAt: z.int(),
  lastLoginAt: z.int().nullable(),
});

export function publicUser({
  id,
  username,
  email,
  role,
  status,
  createdAt,
  lastLoginAt,
}: User): z.input<typeof publicUserSchema> {
  return { id, username, email, role, status, createdAt, lastLoginAt };
}
