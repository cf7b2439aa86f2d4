import { SHARD } from "../commands/keys.ts";

/** Keys of the restore; `docs/redis-keys.md` says what stands in them. */
export const RESTORING_KEY = `${SHARD}:restoring`;
/** Everything of the shard. */
export const SHARD_PATTERN = `${SHARD}:*`;
