import type { User } from "./user.ts";

/** Keys of identity in the venue's Redis; `docs/redis-keys.md` says what stands in them. */
export const userKey = (userId: string) => `user:${userId}`;
export const usernameKey = (username: string) => `username_index:${username}`;
export const emailKey = (email: string) => `email_index:${email}`;
export const ALL_USERS_KEY = "users:all";
export const roleKey = (role: User["role"]) => `users:role:${role}`;
export const sessionsKey = (userId: string) => `sessions:${userId}`;
export const addressesKey = (userId: string) => `sign_in:addresses:${userId}`;

/** Where it is said that a session has ended: the user's id, and the session's behind a space. */
export const SESSION_ENDS_CHANNEL = "sessions:ended";
