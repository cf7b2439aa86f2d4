import { z } from "zod";
import type { Database } from "../db/database.ts";
import { defineQuery } from "../db/define-query.ts";
import findLedgerSource from "./find-ledger.sql";
import findTradeSource from "./find-trade.sql";
import readRecordedSource from "./read-recorded.sql";

const readRecorded = defineQuery({
  name: "read-recorded",
  source: readRecordedSource,
  params: [],
  row: z.object({ sequence: z.string().regex(/^\d+$/).transform(Number) }),
});
const row = z.object({ is_there: z.boolean() });
const findLedger = defineQuery({ name: "find-ledger", source: findLedgerSource, params: [], row });
const findTrade = defineQuery({ name: "find-trade", source: findTradeSource, params: [], row });

/** Whether PostgreSQL holds trades: then an empty Redis has lost them, and is not a new venue's. */
export async function hasPast(database: Database): Promise<boolean> {
  const ledger = await findLedger.first(database, {});
  if (ledger?.is_there !== true) return false;
  const trade = await findTrade.first(database, {});
  return trade?.is_there === true;
}

/**
 * The last entry that PostgreSQL holds; 0 while it cannot be asked, because an engine must be able to take over without
 * it.
 */
export async function recordedSequence(database: Database): Promise<number> {
  try {
    return (await readRecorded.first(database, {}))?.sequence ?? 0;
  } catch {
    return 0;
  }
}
