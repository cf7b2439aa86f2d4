import type { Redis } from "ioredis";
import { z } from "zod";
import { defineScript } from "../../../shared/store/define-script.ts";
import type { Database } from "../../db/database.ts";
import { defineQuery } from "../../db/define-query.ts";
import { scriptRunner } from "../../redis/script-runner.ts";
import { addDays, tehranDate, tehranDayStart } from "../calendar/tehran-time.ts";
import { readPriceSettings } from "../fetch/fetch-queries.ts";
import { BOARD_KEY } from "../items/keys.ts";
import { listProviders } from "../providers/provider-queries.ts";
import { type BoardItem, boardItem, boardRow } from "./board-item.ts";
import putBoardSource from "./put-board.lua";
import readBoardSource from "./read-board.sql";

/**
 * Copies the board from the record to Redis, where every process reads it. The revision is counted in the transaction of
 * each change, so a copy that was read earlier never replaces a later one, whichever process is faster.
 */
export type Board = { readonly revision: number; readonly items: readonly BoardItem[] };

const readRows = defineQuery({
  name: "read-board",
  source: readBoardSource,
  params: ["today", "dayStartMs", "weekEndMs", "monthEndMs"],
  row: boardRow,
});

const putBoard = defineScript({
  name: "put-board",
  source: putBoardSource,
  keys: ["board"],
  args: { revision: z.number(), body: z.string() },
  reply: z.int(),
});

const READ_MS_MAX = 10_000;
const WEEK_DAYS = 7;
const MONTH_DAYS = 30;
/** In one snapshot: what a revision shows is what was committed with it. */
const SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

function readBoard(database: Database, nowMs: number): Promise<Board> {
  const today = tehranDate(nowMs);
  const endOf = (daysAgo: number) => String(tehranDayStart(addDays(today, 1 - daysAgo)));
  return database.transaction(async (tx) => {
    await tx.script(SNAPSHOT);
    const { revision } = await readPriceSettings(tx);
    const providers = await listProviders.all(tx, {});
    const demos = new Set(providers.filter(({ kind }) => kind === "demo").map(({ provider }) => provider));
    const rows = await readRows.all(tx, {
      today,
      dayStartMs: String(tehranDayStart(today)),
      weekEndMs: endOf(WEEK_DAYS),
      monthEndMs: endOf(MONTH_DAYS),
    });
    return { revision, items: rows.map((row) => boardItem(row, demos)) };
  }, READ_MS_MAX);
}

type PublishParts = { readonly database: Database; readonly redis: Redis; readonly nowMs: () => number };

/** Returns a function that brings Redis up to the record. */
export function createPublish({ database, redis, nowMs }: PublishParts): () => Promise<void> {
  const runner = scriptRunner(redis);
  return async () => {
    const { revision, items } = await readBoard(database, nowMs());
    await putBoard.run(runner, { keys: { board: BOARD_KEY }, args: { revision, body: JSON.stringify({ items }) } });
  };
}
