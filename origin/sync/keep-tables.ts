import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { changesFrom } from "../commit/journal-body.ts";
import type { Database } from "../db/database.ts";
import { readOffset } from "../ledger/ledger-queries.ts";
import { createLatestRows, type LatestRows } from "../projections/latest-rows.ts";
import { forgetBodies, forgetReferences, listBodies } from "./table-queries.ts";
import { writeTables } from "./write-tables.ts";

/**
 * The write-behind: every ten seconds the tables of orders, balances, pairs and the rest are brought up to the ledger, from the journal's
 * bodies that the ledger keeps beside it. So the tables are never ahead of the ledger, Redis is not asked, and tables and bodies together are
 * always the exact state at the ledger's position. Of several changes of one row only the last is written. Between two entries and between two
 * steps the event loop comes round, so that a backlog does not delay anybody's request.
 */
export type KeptTables = {
  /** Everything that the ledger holds by now. */
  readonly flush: () => Promise<void>;
  readonly state: () => { readonly sequence: number | undefined; readonly entriesSkipped: number };
  /** Writes what is left, as far as the time goes. */
  readonly stop: (withinMs: number) => Promise<void>;
};

type TableParts = {
  readonly database: Database;
  readonly log: Logger;
  readonly intervalMs: number;
  readonly rowsMax: number;
  /** Bodies stay for a while after the tables have taken them in: whoever looks into an accident is glad of them. */
  readonly bodiesKept?: number;
  /** Told again with every look: the last entry that the tables hold. */
  readonly onPosition?: (sequence: number) => void;
};

/** Read at once, and kept in memory until they are written. */
const ENTRIES_MAX = 50;
const READ_BYTES_MAX = 1024 * 1024;
const BODIES_KEPT = 1_000;
const FORGET_MAX = 5_000;
const REFERENCE_MS = 25 * 3_600_000;

type KeptEntry = { readonly sequence: number; readonly body: string };

export function keepTables({ database, log, intervalMs, rowsMax, bodiesKept = BODIES_KEPT, onPosition }: TableParts): KeptTables {
  let sequence: number | undefined;
  let entriesSkipped = 0;
  let isAway = false;
  let isStopping = false;
  let running: Promise<void> | undefined;

  /** One transaction; false when there is nothing more. */
  async function step(ahead: KeptEntry[]): Promise<boolean> {
    const before = (await readOffset.first(database, { consumer: "sync" }))?.sequence ?? 0;
    const { rows, after } = await readRows(before, ahead);
    if (after === before) {
      stand(before);
      return false;
    }
    if (!(await writeTables(database, { rows, before, after }))) return false;
    stand(after);
    await database.transaction(async (tx) => {
      await forgetBodies.all(tx, { upTo: String(after - bodiesKept), limit: FORGET_MAX });
      await forgetReferences.all(tx, { beforeMs: String(rows.clock.at - REFERENCE_MS) });
    });
    return true;
  }

  function stand(at: number): void {
    sequence = at;
    onPosition?.(at);
  }

  async function readRows(before: number, ahead: KeptEntry[]): Promise<{ readonly rows: LatestRows; readonly after: number }> {
    const rows = createLatestRows();
    let after = before;
    // Another process may have written meanwhile.
    if (ahead[0]?.sequence !== before + 1) ahead.length = 0;
    while (rows.orders.size + rows.balances.size + rows.references.size < rowsMax) {
      if (ahead.length === 0)
        ahead.push(...(await listBodies.all(database, { after: String(after), limit: ENTRIES_MAX, bytesMax: READ_BYTES_MAX })));
      const entry = ahead.shift();
      if (entry === undefined) break;
      absorb(rows, entry);
      after = entry.sequence;
      await nextTurn();
    }
    return { rows, after };
  }

  function absorb(rows: LatestRows, { sequence: next, body }: KeptEntry): void {
    try {
      rows.absorb(changesFrom(body));
    } catch (error) {
      entriesSkipped++;
      log.error(
        { err: error, sequence: next },
        "an entry of the journal cannot be read and is left out of the tables; the ledger has parked it",
      );
    }
  }

  async function flush(): Promise<void> {
    // Read, and not in the tables yet.
    const ahead: KeptEntry[] = [];
    while (await step(ahead)) await nextTurn();
  }

  async function look(): Promise<void> {
    try {
      await flush();
      if (isAway) log.info({ sequence }, "the tables are written again");
      isAway = false;
    } catch (error) {
      if (!isAway) log.warn({ err: error }, "the tables cannot be brought up to the ledger");
      isAway = true;
    }
  }

  function tick(): void {
    if (running !== undefined) return;
    running = look().finally(() => {
      running = undefined;
      if (!isStopping) timer.refresh();
    });
  }

  const timer = setTimeout(tick, intervalMs);
  timer.unref();
  return {
    flush,
    state: () => ({ sequence, entriesSkipped }),
    stop: async (withinMs) => {
      isStopping = true;
      clearTimeout(timer);
      await Promise.race([(running ?? Promise.resolve()).then(look), sleep(withinMs, undefined, { ref: false })]);
    },
  };
}
