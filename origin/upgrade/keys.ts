import { SHARD } from "../commands/keys.ts";

/** What an upgrade that is under way began with; `docs/redis-keys.md` says more. */
export const UPGRADING_KEY = `${SHARD}:upgrading`;
