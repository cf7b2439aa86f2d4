import type { User } from "./user.ts";

/** Keys of identity in the venue's Redis, described in `docs/redis-keys.md`. */
export const userKey = (userId: string) => `user:${userId}`;
export const usernameKey = (username: string) => `username_index:${username}`;
export const emailKey = (email: string) => `email_index:${email}`;
export const ALL_USERS_KEY = "users:all";
export const roleKey = (role: User["role"]) => `users:role:${role}`;
export const sessionsKey = (userId: string) => `sessions:${userId}`;
export const addressesKey = (userId: string) => `sign_in:addresses:${userId}`;

/** Announces the end of a session: the user's id, a space and the session's id. */
export const SESSION_ENDS_CHANNEL = "sessions:ended";
