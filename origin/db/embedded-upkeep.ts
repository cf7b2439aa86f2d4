import type { PGlite } from "@electric-sql/pglite";
import findUpkeep from "./find-upkeep.sql";

/**
 * The embedded database has no background processes: nothing removes dead rows, updates the planner's statistics,
 * freezes old rows or makes checkpoints. Without this upkeep its files and its write-ahead log grow without bound, and
 * a start after a kill replays everything since the last checkpoint.
 */
export type UpkeepRules = {
  /** Autovacuum of a server checks once a minute, but works on several tables at once. */
  readonly everyMs: number;
  /**
   * Bytes of write-ahead log since the last checkpoint. A start after a kill replays at most this, in a second or two.
   */
  readonly walBytesMax: number;
};

export const UPKEEP: UpkeepRules = { everyMs: 10_000, walBytesMax: 64 * 1024 * 1024 };

type Upkeep = {
  readonly pglite: PGlite;
  readonly rules: UpkeepRules;
  /** Runs the work as one call among the others, so that every other call waits for one statement at most. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
};

/** Runs everything that is due, one statement at a time. */
export async function keepUp({ pglite, rules, inTurn }: Upkeep): Promise<void> {
  // PostgreSQL publishes its counters once a second; this publishes them now.
  await inTurn(async () => void (await pglite.query("SELECT pg_stat_force_next_flush()")));
  let due: { readonly statements: readonly string[]; readonly walBytes: string } | undefined;
  await inTurn(async () => {
    due = (await pglite.query<NonNullable<typeof due>>(findUpkeep)).rows[0];
  });
  for (const statement of due?.statements ?? []) await inTurn(async () => void (await pglite.exec(statement)));
  if (Number(due?.walBytes ?? 0) > rules.walBytesMax) await inTurn(async () => void (await pglite.exec("CHECKPOINT")));
}
