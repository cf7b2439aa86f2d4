import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { assert } from "../../shared/assert.ts";
import { awaitJournal, faultOfNext, type JournalPosition } from "../commit/journal.ts";
import { changesFrom } from "../commit/journal-body.ts";
import type { Committed, JournalFeed } from "../commit/journal-feed.ts";
import { OFFSET_KEY } from "../commit/keys.ts";
import { ACQUIRE_EVERY_MS, acquireLease, keepLease, type Lease } from "../commit/lease.ts";
import type { PairRow } from "../engine/changes.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { untilReady } from "../redis/until-ready.ts";
import { type BookSnapshots, openBookSnapshots } from "./book-snapshots.ts";
import { createGrids, type Grids } from "./grids.ts";
import { createGuardedWrites } from "./guarded-writes.ts";
import { PROJECTED_KEY, PROJECTOR_KEY } from "./keys.ts";
import { createLatestRows, type LatestRows } from "./latest-rows.ts";
import { readPosition, readTerms } from "./load-state.ts";
import { writePublicCopies } from "./public-copies.ts";
import { stateWrites } from "./state-writes.ts";
import type { Write } from "./writes.ts";

/**
 * Follows the journal and brings orders, open orders, wallets, books and trades into Redis: for readers, and for the next engine to start from.
 * Each entry once, because its position changes in the same transaction. Of several processes that run this, the one with the lease projects;
 * the others only ask for the lease, and one of them takes over within two seconds of a `kill -9`. The lease saves work and protects nothing: a step of a
 * worker that has lost it is refused by the position. Under load many entries become one step with the last state of everything.
 * While Redis is unavailable it waits; an entry that does not follow from the one before stops it, with a sentence in the log.
 */
export type StateProjection = {
  /** How many journal entries it was behind a moment ago. */
  readonly lag: () => number;
  readonly stop: () => Promise<void>;
};

type ProjectionParts = {
  readonly redis: Redis;
  /** Three connections: this one waits for entries, the next one carries the transactions and nothing else. */
  readonly reader: Redis;
  readonly writer: Redis;
  /** For batches that were committed in this process. */
  readonly feed: JournalFeed | undefined;
  readonly onProjected: (sequence: number) => void;
  /** Unique to this process and start. */
  readonly owner: string;
  readonly log: Logger;
};

/** One transaction holds Redis up for everybody: while little waits a step is some tenths of a millisecond, and at the most some milliseconds. */
const STEP_ORDERS_MAX = 512;
/** What has come since the last step goes together in the next one; who comes to an idle venue waits for nothing. */
const STEP_EVERY_MS = 8;
const READ_ENTRIES_MAX = 64;
const WAIT_MS = 200;
/** Between two tries that came to nothing: doubled up to the second figure until a step succeeds. */
const RETRY_MS = 100;
const RETRY_MS_MAX = 2_000;
const READY_MS = 1_000;
const MEASURE_EVERY_MS = 500;

export function startStateProjection({ redis, reader, writer, feed, onProjected, owner, log }: ProjectionParts): StateProjection {
  const writes = createGuardedWrites(writer);
  const runner = scriptRunner(redis);
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  let lastTrouble = "";
  let retryMs = RETRY_MS;
  let lag = 0;
  const toldVersions = new Map<string, number>();
  let stepAtMs = Number.NEGATIVE_INFINITY;

  async function next(after: JournalPosition): Promise<readonly Committed[]> {
    const fed = feed?.after(after.sequence);
    if (fed !== undefined && fed.length > 0) return fed;
    if (fed !== undefined) {
      await feed?.untilNext(WAIT_MS);
      // Whoever has committed goes on first: its next batch is what people wait for.
      await nextTurn();
      const restMs = stepAtMs + STEP_EVERY_MS - performance.now();
      if (restMs > 0) await sleep(restMs);
      return [];
    }
    return readNext(reader, after);
  }

  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => {});

  /** A standby reads nothing but the lease: what it would need of the books it reads when it has it. */
  async function standBy(): Promise<Lease | undefined> {
    let isFirst = true;
    while (!isStopping()) {
      const epoch = await acquireLease(runner, owner, { key: PROJECTOR_KEY });
      if (epoch !== undefined) return keepLease(runner, epoch, log, { key: PROJECTOR_KEY });
      if (isFirst) log.info("another worker projects: standing by");
      isFirst = false;
      await pause(ACQUIRE_EVERY_MS);
    }
    return undefined;
  }

  /** From the lease until it is lost, the position is another worker's, or the end. */
  async function project(lease: Lease): Promise<void> {
    const { position, clock } = await readPosition(redis);
    const grids = createGrids();
    const pairs = (await readTerms(redis, grids)).map(({ pair }) => pair);
    const from = { sequence: position.sequence, at: clock.at };
    const books = openBookSnapshots({ redis, grids, pairs, from, log });
    let isMine = false;
    try {
      isMine = await followFrom({ position, nextOrderId: clock.nextOrderId, grids, books, lease });
    } finally {
      await books.stop(isMine);
    }
    if (isStopping()) await lease.giveBack();
  }

  /** A pair's row comes with each of its trades; its terms are told when they are new. */
  async function tellTerms(pairs: readonly PairRow[], grids: Grids): Promise<void> {
    const told = pairs.filter(({ pair, version }) => toldVersions.get(pair) !== version);
    await writePublicCopies(redis, told, grids);
    for (const { pair, version } of told) toldVersions.set(pair, version);
  }

  /** True when it was stopped, false when another worker has taken over. */
  async function followFrom({ position, nextOrderId: firstNew, grids, books, lease }: Following): Promise<boolean> {
    let before = position;
    let nextOrderId = firstNew;
    const expiring = new Set<string>();
    while (!isStopping()) {
      let rest = await next(before);
      while (rest.length > 0 && !isStopping()) {
        const step = takeStep(rest, grids);
        rest = rest.slice(step.count);
        stepAtMs = performance.now();
        const known = { grids, nextOrderId, expiring, sequence: step.position.sequence };
        const commands = [...stateWrites(step.rows, known), positionWrite(step)];
        const guard = { key: PROJECTED_KEY, field: "sequence", expected: String(before.sequence) };
        if (!(await writes.write(guard, commands, isAscii(step.rows)))) return false;
        before = step.position;
        nextOrderId = step.rows.clock.nextOrderId;
        onProjected(before.sequence);
        await tellTerms(step.rows.pairs, grids);
        books.absorb(step.rows, before.sequence);
        lastTrouble = "";
        retryMs = RETRY_MS;
      }
      if (lease.isLost()) return false;
    }
    return true;
  }

  /** One turn as standby and as the worker that projects. */
  async function serve(): Promise<void> {
    const lease = await standBy();
    if (lease === undefined) return;
    try {
      await project(lease);
    } finally {
      lease.letGo();
    }
  }

  async function run(): Promise<void> {
    while (!isStopping()) {
      try {
        await Promise.all([redis, reader, writer].map((connection) => untilReady(connection, READY_MS)));
        await serve();
      } catch (error) {
        const trouble = String(error);
        if (trouble !== lastTrouble && !isStopping()) log.error({ err: error }, "the state projection does not follow the journal");
        lastTrouble = trouble;
      }
      await pause(retryMs);
      retryMs = Math.min(2 * retryMs, RETRY_MS_MAX);
    }
  }

  async function measure(): Promise<void> {
    const [committed, projected] = await Promise.all([redis.hget(OFFSET_KEY, "sequence"), redis.hget(PROJECTED_KEY, "sequence")]);
    lag = Number(committed ?? 0) - Number(projected ?? 0);
  }

  // While Redis is away the last figure stands: that it is away, others say.
  const measuring = setInterval(() => void measure().catch(() => {}), MEASURE_EVERY_MS);
  const running = run();
  return {
    lag: () => lag,
    stop: async () => {
      stopping.abort();
      clearInterval(measuring);
      await running;
    },
  };
}

type Following = {
  readonly position: JournalPosition;
  readonly nextOrderId: number;
  readonly grids: Grids;
  readonly books: BookSnapshots;
  readonly lease: Lease;
};

async function readNext(reader: Redis, after: JournalPosition): Promise<readonly Committed[]> {
  const entries = await awaitJournal(reader, { after: after.sequence, count: READ_ENTRIES_MAX, waitMs: WAIT_MS });
  let before = after;
  return entries.map((entry) => {
    const fault = faultOfNext(before, entry);
    assert(fault === undefined, fault ?? "");
    before = entry;
    return { position: entry, changes: changesFrom(entry.body) };
  });
}

type Step = { readonly count: number; readonly rows: LatestRows; readonly position: JournalPosition };

/** As many whole entries as one transaction should take, and at least one. */
function takeStep(entries: readonly Committed[], grids: Grids): Step {
  const rows = createLatestRows();
  let count = 0;
  let position: JournalPosition | undefined;
  for (const committed of entries) {
    if (count > 0 && rows.orders.size + committed.changes.orders.length > STEP_ORDERS_MAX) break;
    for (const currency of committed.changes.currencies) grids.putCurrency(currency);
    for (const pair of committed.changes.pairs) grids.putPair(pair);
    rows.absorb(committed.changes);
    position = committed.position;
    count++;
  }
  assert(position !== undefined, "a step has at least one entry");
  return { count, rows, position };
}

function positionWrite({ position, rows }: Step): Write {
  const { at, nextOrderId, nextTradeId } = rows.clock;
  return [
    ...(["HSET", PROJECTED_KEY, "sequence", position.sequence, "hash", position.hash, "command", position.command] as const),
    ...["at", at, "next_order_id", nextOrderId, "next_trade_id", nextTradeId],
  ];
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Only people's own texts can be anything else. */
function isAscii(rows: LatestRows): boolean {
  for (const order of rows.orders.values()) if (NOT_ASCII.test(order.clientOrderId) || NOT_ASCII.test(order.user)) return false;
  for (const reference of rows.references.values()) if (NOT_ASCII.test(reference.user)) return false;
  for (const user of rows.balances.keys()) if (NOT_ASCII.test(user)) return false;
  for (const user of rows.users.keys()) if (NOT_ASCII.test(user)) return false;
  return true;
}
