import { SHARD } from "../commands/keys.ts";

/** What came in, went out or changed hands without a trade: a list of JSON, the newest first. */
export const movementsKey = (user: string) => `${SHARD}:movements:${user}`;
