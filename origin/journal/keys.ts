/** Everything that must change in one step shares this hash tag: one trading shard, one slot. */
export const SHARD = "v1:{t0}";

/** Keys of the commit; `docs/redis-keys.md` describes their contents. */
export const COMMANDS_KEY = `${SHARD}:commands`;
export const FENCE_KEY = `${SHARD}:fence`;
export const OFFSET_KEY = `${SHARD}:offset`;
export const JOURNAL_KEY = `${SHARD}:stream:executions`;
/** The registered consumers of the journal and their positions: nothing is trimmed that one of them has not read. */
export const CONSUMERS_KEY = `${SHARD}:consumers`;
/** The number of the shard's layout (`layout.ts`). */
export const FORMAT_KEY = `${SHARD}:format`;
/** The last entry in PostgreSQL's tables of orders and balances: ended orders leave Redis up to here. */
export const TABLES_KEY = `${SHARD}:tables`;

/** Which life of the journal this is (`life.ts`): a restore begins another. */
export const LIFE_KEY = `${SHARD}:life`;

/** A channel, not a key: an api process receives the answers to its appends here. */
export const answersChannel = (node: string) => `${SHARD}:answers:${node}`;

/** The mark of a restore under way. */
export const RESTORING_KEY = `${SHARD}:restoring`;
/** Everything of the shard. */
export const SHARD_PATTERN = `${SHARD}:*`;
