import type { Redis } from "ioredis";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Database } from "../../db/database.ts";
import { createEngine } from "../../engine/engine.ts";
import { createGrids } from "../../instruments/grids.ts";
import { CONSUMERS_KEY, FORMAT_KEY, LIFE_KEY, OFFSET_KEY, RESTORING_KEY, SHARD_PATTERN } from "../../journal/keys.ts";
import { newLife } from "../../journal/life.ts";
import { raiseStream } from "../../journal/raise-stream.ts";
import { replies } from "../../redis/pipeline.ts";
import { scriptRunner } from "../../redis/script-runner.ts";
import { BELOW_KEY, PROJECTED_KEY } from "../../state/keys.ts";
import { createLatestRows, type LatestRows } from "../../state/latest-rows.ts";
import { LAYOUT } from "../../state/layout.ts";
import { toChanges } from "../../state/load-state.ts";
import { writePublicCopies } from "../../state/public-copies.ts";
import { stateWrites } from "../../state/state-writes.ts";
import { type AuditReport, runAudit } from "../audit/run-audit.ts";
import { listGrids } from "../ledger/ledger-queries.ts";
import { recentOrders, recentTrades } from "./read-recent.ts";
import { type RecordedState, readRecordedState } from "./read-tables.ts";

/**
 * Restores an empty Redis from PostgreSQL: wallets, books, open and pending orders, active order lists, recent orders
 * and trades, references and every counter, as of the last entry in the ledger. Only orders that were acknowledged after that entry and never reached
 * PostgreSQL are lost. While it runs, and after an interruption, a mark in Redis prevents every engine from trading.
 */
export type Restored = {
  readonly sequence: number;
  readonly tablesAt: number;
  readonly orders: number;
  readonly audit: AuditReport;
};

const ROWS_PER_CHUNK = 1_000;

export async function restoreStore(database: Database, redis: Redis): Promise<Result<Restored, string>> {
  const isInterrupted = (await redis.exists(RESTORING_KEY)) === 1;
  if (!isInterrupted && (await redis.exists(OFFSET_KEY, PROJECTED_KEY)) > 0) {
    return fail("This Redis already holds a venue: restore into an empty one.");
  }
  const recorded = await readRecordedState(database);
  if (recorded.position.sequence === 0) return fail("PostgreSQL is empty: there is nothing to restore.");
  const changes = toChanges(recorded.rows);
  const engine = createEngine();
  engine.absorb(changes);
  const faults = engine.verify();
  if (faults.length > 0) return fail(`The data in PostgreSQL is inconsistent: ${faults.join("; ")}.`);

  await redis.set(RESTORING_KEY, recorded.position.sequence);
  await clearShard(redis);
  const oldest = await addRecent(database, recorded.rows);
  await writeRows(database, redis, recorded);
  const { sequence, hash, command } = recorded.position;
  const { at, nextOrderId, nextTradeId } = recorded.rows.clock;
  const place = ["sequence", sequence, "hash", hash, "command", command] as const;
  await redis
    .multi()
    .hset(PROJECTED_KEY, ...place, "at", at, "next_order_id", nextOrderId, "next_trade_id", nextTradeId)
    .hset(OFFSET_KEY, ...place)
    .hset(CONSUMERS_KEY, "ledger", sequence)
    .set(FORMAT_KEY, LAYOUT)
    .set(LIFE_KEY, newLife())
    .hset(BELOW_KEY, "orders", oldest.order - 1, "lists", nextOrderId - 1, "trades", oldest.trade - 1, "movements", 1)
    .exec();
  const audit = await runAudit({ database, redis, withRestore: false });
  if (!audit.isClean)
    return fail(
      `The restored state does not agree with the ledger: ${audit.lines.flatMap(({ faults: of }) => of).join("; ")}.`,
    );
  await raiseStream(scriptRunner(redis), command);
  // From here on engines may trade on it.
  await redis.del(RESTORING_KEY);
  return ok({ sequence, tablesAt: recorded.tablesAt, orders: changes.orders.length, audit });
}

/** Deletes the leftovers of an interrupted restore. */
async function clearShard(redis: Redis): Promise<void> {
  let cursor = "0";
  do {
    const [next, keys] = await redis.scan(cursor, "MATCH", SHARD_PATTERN, "COUNT", ROWS_PER_CHUNK);
    cursor = next;
    const stale = keys.filter((key) => key !== RESTORING_KEY);
    if (stale.length > 0) await redis.unlink(...stale);
  } while (cursor !== "0");
}

/**
 * Open orders are restored already; ended orders and trades are for clients who read them. Returns the oldest ids that
 * were added: older ones are listed from PostgreSQL.
 */
async function addRecent(
  database: Database,
  rows: LatestRows,
): Promise<{ readonly order: number; readonly trade: number }> {
  const recent = await recentOrders(database);
  for (const order of recent) if (!rows.orders.has(order.id)) rows.orders.set(order.id, order);
  rows.trades.length = 0;
  for (const trade of await recentTrades(database)) rows.trades.push(trade);
  return { order: recent[0]?.id ?? 1, trade: rows.trades[0]?.id ?? 1 };
}

async function writeRows(
  database: Database,
  redis: Redis,
  { rows, position: { sequence } }: RecordedState,
): Promise<void> {
  const grids = createGrids();
  grids.learn({ currencies: [...rows.currencies.values()], pairs: await listGrids.all(database, {}) });
  const expiring = new Set<string>();
  for (const chunk of chunksOf(rows)) {
    const pipeline = redis.pipeline();
    for (const [command, ...args] of stateWrites(chunk, { grids, nextOrderId: 0, expiring, sequence }))
      pipeline.call(command, ...args);
    await replies(pipeline);
  }
  await writePublicCopies(redis, rows.pairs, grids);
}

/** Small enough for the arguments of one command. */
function* chunksOf(rows: LatestRows): Generator<LatestRows> {
  const orders = [...rows.orders.values()].sort((first, second) => first.id - second.id);
  const balances = [...rows.balances.values()].flatMap((ofUser) => [...ofUser.values()]);
  const tables = {
    orders,
    balances,
    trades: rows.trades,
    users: [...rows.users.values()],
    references: [...rows.references.values()],
    lists: [...rows.lists.values()],
  };
  const longest = Math.max(1, ...Object.values(tables).map(({ length }) => length));
  for (let from = 0; from < longest; from += ROWS_PER_CHUNK) {
    const part = <Row>(list: readonly Row[]) => list.slice(from, from + ROWS_PER_CHUNK);
    const chunk = createLatestRows();
    chunk.absorb({
      ...rows.clock,
      ...{ orders: part(tables.orders), balances: part(tables.balances), trades: part(tables.trades) },
      ...{ users: part(tables.users), references: part(tables.references), movements: part(rows.movements) },
      lists: part(tables.lists),
      ...{ currencies: part([...rows.currencies.values()]), pairs: part(rows.pairs) },
    });
    yield chunk;
  }
}
