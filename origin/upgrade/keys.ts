import { SHARD } from "../journal/keys.ts";

/** The versions that a running upgrade started from (`docs/redis-keys.md`). */
export const UPGRADING_KEY = `${SHARD}:upgrading`;
