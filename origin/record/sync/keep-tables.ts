import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "pino";
import type { Database } from "../../db/database.ts";
import { followJournal, type Run } from "../../journal/follow-journal.ts";
import { changesFrom } from "../../journal/journal-body.ts";
import { createLatestRows, type LatestRows } from "../../state/latest-rows.ts";
import { readOffset } from "../ledger/ledger-queries.ts";
import { forgetBodies, forgetReferences, listBodies } from "./table-queries.ts";
import { writeTables } from "./write-tables.ts";

/**
 * The write-behind: every ten seconds it brings the tables of orders, balances, pairs and the rest up to the ledger,
 * from the journal bodies that the ledger keeps. So the tables are never ahead of the ledger, Redis is not read, and
 * tables and bodies together are always the exact state at the ledger's position. Of several changes of one row only
 * the last is written. It yields to the event loop between entries, so that a backlog delays no request.
 */
export type KeptTables = {
  /** Writes everything that the ledger holds by now. */
  readonly flush: () => Promise<void>;
  readonly state: () => { readonly sequence: number | undefined; readonly entriesSkipped: number };
  /** Writes the rest, as far as the time allows. */
  readonly stop: (withinMs: number) => Promise<void>;
};

type TableParts = {
  readonly database: Database;
  readonly log: Logger;
  readonly intervalMs: number;
  readonly rowsMax: number;
  /** Bodies are kept for a while after the tables include them, for the investigation of an incident. */
  readonly bodiesKept?: number;
  /** Called with every look: the last entry in the tables. */
  readonly onPosition?: (sequence: number) => void;
};

/** Read in one query, and kept in memory until they are written. */
const ENTRIES_MAX = 50;
const READ_BYTES_MAX = 1024 * 1024;
const BODIES_KEPT = 1_000;
const FORGET_MAX = 5_000;
const REFERENCE_MS = 25 * 3_600_000;

type Position = { readonly sequence: number };
type KeptEntry = { readonly sequence: number; readonly body: string };

export function keepTables({
  database,
  log,
  intervalMs,
  rowsMax,
  bodiesKept = BODIES_KEPT,
  onPosition,
}: TableParts): KeptTables {
  let entriesSkipped = 0;

  async function open(): Promise<Run<LatestRows, Position>> {
    const position = { sequence: (await readOffset.first(database, { consumer: "sync" }))?.sequence ?? 0 };
    /** Read, and not in the tables yet. */
    const ahead: KeptEntry[] = [];
    let after = position.sequence;

    /** The merged rows of as many entries as one transaction should take. */
    async function next(before: Position): Promise<readonly LatestRows[]> {
      const rows = createLatestRows();
      after = before.sequence;
      while (rows.orders.size + rows.balances.size + rows.references.size < rowsMax) {
        if (ahead.length === 0)
          ahead.push(
            ...(await listBodies.all(database, { after: String(after), limit: ENTRIES_MAX, bytesMax: READ_BYTES_MAX })),
          );
        const entry = ahead.shift();
        if (entry === undefined) break;
        absorb(rows, entry);
        after = entry.sequence;
        await nextTurn();
      }
      if (after > before.sequence) return [rows];
      onPosition?.(after);
      return [];
    }

    async function take([rows = createLatestRows()]: readonly LatestRows[], before: Position) {
      if (!(await writeTables(database, { rows, before: before.sequence, after }))) return undefined;
      onPosition?.(after);
      await database.transaction(async (tx) => {
        await forgetBodies.all(tx, { upTo: String(after - bodiesKept), limit: FORGET_MAX });
        await forgetReferences.all(tx, { beforeMs: String(rows.clock.at - REFERENCE_MS) });
      });
      return { count: 1, position: { sequence: after } };
    }

    return { position, next, take };
  }

  function absorb(rows: LatestRows, { sequence, body }: KeptEntry): void {
    try {
      rows.absorb(changesFrom(body));
    } catch (error) {
      entriesSkipped++;
      const message = "an entry of the journal cannot be read and is left out of the tables; the ledger has parked it";
      log.error({ err: error, sequence }, message);
    }
  }

  const following = followJournal({ name: "write-behind", open, everyMs: intervalMs, log });
  return {
    flush: following.drain,
    state: () => ({ sequence: following.state().sequence, entriesSkipped }),
    stop: (withinMs) => following.stop({ drainMs: withinMs }),
  };
}
