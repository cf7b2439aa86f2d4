import { SHARD } from "../commands/keys.ts";

/** Keys of the commit; `docs/redis-keys.md` says what stands in them. All share the shard's hash tag. */
export const FENCE_KEY = `${SHARD}:fence`;
export const OFFSET_KEY = `${SHARD}:offset`;
export const JOURNAL_KEY = `${SHARD}:stream:executions`;
/** Who else reads the journal, and how far each has come: nothing is trimmed that one of them has not read. */
export const CONSUMERS_KEY = `${SHARD}:consumers`;
/** The number of the layout that everything of the shard is written in; `layout.ts`. */
export const FORMAT_KEY = `${SHARD}:format`;
/** The last entry that PostgreSQL's tables of orders and balances hold. Nothing is trimmed by it; ended orders are forgotten by it. */
export const TABLES_KEY = `${SHARD}:tables`;
