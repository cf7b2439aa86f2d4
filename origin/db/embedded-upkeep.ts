import type { PGlite } from "@electric-sql/pglite";
import findUpkeep from "./find-upkeep.sql";

/**
 * The embedded database has no processes beside it: nothing removes dead rows, keeps the planner's statistics, freezes old rows or makes
 * checkpoints by itself. Without that its files and its log grow for ever, and a start after a kill has to repeat everything since the last one.
 */
export type UpkeepRules = {
  /** One look; a server looks once a minute, but has several tables in hand at once. */
  readonly everyMs: number;
  /** In the log since the last checkpoint. A start after a kill repeats at most this, in a second or two. */
  readonly walBytesMax: number;
};

export const UPKEEP: UpkeepRules = { everyMs: 10_000, walBytesMax: 64 * 1024 * 1024 };

type Upkeep = {
  readonly pglite: PGlite;
  readonly rules: UpkeepRules;
  /** As one call among the others, so that each of them waits for one statement at most. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
};

/** Everything that is due now, one statement at a time. */
export async function keepUp({ pglite, rules, inTurn }: Upkeep): Promise<void> {
  // What has been counted is told once a second; this asks for it now.
  await inTurn(async () => void (await pglite.query("SELECT pg_stat_force_next_flush()")));
  let due: { readonly statements: readonly string[]; readonly walBytes: string } | undefined;
  await inTurn(async () => {
    due = (await pglite.query<NonNullable<typeof due>>(findUpkeep)).rows[0];
  });
  for (const statement of due?.statements ?? []) await inTurn(async () => void (await pglite.exec(statement)));
  if (Number(due?.walBytes ?? 0) > rules.walBytesMax) await inTurn(async () => void (await pglite.exec("CHECKPOINT")));
}
