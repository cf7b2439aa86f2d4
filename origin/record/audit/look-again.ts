import type { Database } from "../../db/database.ts";
import { readEntryHash } from "./audit-queries.ts";
import type { Findings } from "./findings.ts";
import { type Pause, patiently } from "./pace.ts";
import { startOfWalk, type Walk, walkLedger } from "./walk-ledger.ts";

/** Audits until every older entry was checked again: a week by default, with one audit an hour. */
const STRETCHES = 168;
/** A small ledger takes fewer audits. */
export const STRETCH_ENTRIES_MIN = 1_000;

type Looking = {
  /** The ledger up to where earlier audits have verified it. */
  readonly from: Walk;
  /** Position of the second walk through it. */
  readonly walk: Walk;
  readonly stretchMin: number;
  readonly upTo: number;
  readonly findings: Findings;
  readonly pause: Pause;
};

/**
 * Finds changes in the verified part. The last verified row must still have its hash: a changed older row whose chain
 * was recomputed changes that hash too. A changed row with an unchanged chain is found when its stretch is checked
 * again.
 */
export async function lookAgain(database: Database, { from, walk: again, stretchMin, upTo, findings, pause }: Looking) {
  if (from.sequence > upTo) {
    findings.add(
      "chain",
      `an earlier audit verified entry ${from.sequence}, but the state in Redis is at entry ${upTo}`,
    );
  }
  if (from.sequence > 0) {
    const last = await patiently(() => readEntryHash.first(database, { sequence: String(from.sequence) }));
    if (last?.hash !== from.hash)
      findings.add("chain", `entry ${from.sequence} has changed since an earlier audit verified it`);
  }
  const begin = again.sequence >= from.sequence ? startOfWalk() : again;
  const count = Math.max(stretchMin, Math.ceil(from.sequence / STRETCHES));
  const walk = await walkLedger(database, {
    from: begin,
    upTo: Math.min(begin.sequence + count, from.sequence),
    findings,
    pause,
  });
  return {
    walk: { ...walk, totals: new Map(), touched: new Set<string>() },
    entriesRead: walk.sequence - begin.sequence,
  };
}
