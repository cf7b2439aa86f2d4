import type { Database } from "../db/database.ts";
import { readEntryHash } from "./audit-queries.ts";
import type { Findings } from "./findings.ts";
import { type Pause, patiently } from "./pace.ts";
import { startOfWalk, type Walk, walkLedger } from "./walk-ledger.ts";

/** Everything old is gone through once in so many audits: by default, with one each hour, within a week. */
const STRETCHES = 168;
/** A small ledger is done sooner. */
export const STRETCH_ENTRIES_MIN = 1_000;

type Looking = {
  /** What earlier audits have verified. */
  readonly from: Walk;
  /** Where the second walk through it stands. */
  readonly walk: Walk;
  readonly stretchMin: number;
  readonly upTo: number;
  readonly findings: Findings;
  readonly pause: Pause;
};

/**
 * What may have been changed behind what was verified. The last verified row must still have its hash: whoever changes an older row and makes the chain
 * right again changes that one too. A row that was changed alone is found when its stretch comes.
 */
export async function lookAgain(database: Database, { from, walk: again, stretchMin, upTo, findings, pause }: Looking) {
  if (from.sequence > upTo) {
    findings.add("chain", `an earlier audit has verified entry ${from.sequence}, and the state in Redis is that of entry ${upTo}`);
  }
  if (from.sequence > 0) {
    const last = await patiently(() => readEntryHash.first(database, { sequence: String(from.sequence) }));
    if (last?.hash !== from.hash) findings.add("chain", `entry ${from.sequence} is not the one that an earlier audit has verified`);
  }
  const begin = again.sequence >= from.sequence ? startOfWalk() : again;
  const count = Math.max(stretchMin, Math.ceil(from.sequence / STRETCHES));
  const walk = await walkLedger(database, { from: begin, upTo: Math.min(begin.sequence + count, from.sequence), findings, pause });
  return { walk: { ...walk, totals: new Map(), touched: new Set<string>() }, entriesRead: walk.sequence - begin.sequence };
}
