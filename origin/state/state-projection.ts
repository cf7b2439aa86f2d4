import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { assert } from "../../shared/assert.ts";
import type { PairRow } from "../engine/changes.ts";
import { createGrids, type Grids } from "../instruments/grids.ts";
import { followJournal, type Run, type RunEnd, type Taken } from "../journal/follow-journal.ts";
import type { JournalPosition } from "../journal/journal.ts";
import { type Committed, type JournalFeed, openCommittedReader } from "../journal/journal-feed.ts";
import { OFFSET_KEY } from "../journal/keys.ts";
import { openBookSnapshots } from "./book/book-snapshots.ts";
import { PROJECTED_KEY, PROJECTOR_KEY } from "./keys.ts";
import { createLatestRows, type LatestRows } from "./latest-rows.ts";
import { readPosition, readTerms } from "./load-state.ts";
import { writePublicCopies } from "./public-copies.ts";
import { stateWrites } from "./state-writes.ts";
import { createGuardedWrites, type Write } from "./writes.ts";

/**
 * Follows the journal and writes orders, open orders, wallets, books and trades to Redis: for readers, and for the next
 * engine to start from. Each entry is projected once, because the position changes in the same transaction. Of several
 * workers, the one with the lease projects; the others only ask for the lease, and one of them takes over within two
 * seconds of a `kill -9`. The lease saves work and protects nothing: the position refuses a step of a worker that has
 * lost it. Under load many entries become one step with the last state of everything. While Redis is unavailable it
 * retries; an entry that does not follow from the one before stops it, with a message in the log.
 */
export type StateProjection = {
  /** How many journal entries it was behind at the last measurement. */
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

/**
 * One transaction blocks Redis for all clients: with little to do a step takes some tenths of a millisecond, at most
 * some milliseconds.
 */
const STEP_ORDERS_MAX = 512;
/**
 * Entries that arrive within this time of a step share the next one; at an idle venue an entry is projected at once.
 */
const STEP_EVERY_MS = 8;
const MEASURE_EVERY_MS = 500;

export function startStateProjection({
  redis,
  reader,
  writer,
  feed,
  onProjected,
  owner,
  log,
}: ProjectionParts): StateProjection {
  const writes = createGuardedWrites(writer);
  let lag = 0;
  const publishedVersions = new Map<string, number>();

  async function open(): Promise<Run<Committed, JournalPosition>> {
    const { position, clock } = await readPosition(redis);
    const grids = createGrids();
    const rows = await readTerms(redis, grids);
    const pairs = rows.map(({ pair }) => pair);
    const from = { sequence: position.sequence, at: clock.at };
    const books = openBookSnapshots({ redis, grids, pairs, rows, from, log });
    const committed = openCommittedReader(reader, feed);
    const expiring = new Set<string>();
    let { nextOrderId } = clock;
    let stepAtMs = Number.NEGATIVE_INFINITY;

    async function next(after: JournalPosition): Promise<readonly Committed[]> {
      const entries = await committed.next(after);
      const restMs = entries.length === 0 ? stepAtMs + STEP_EVERY_MS - performance.now() : 0;
      if (restMs > 0) await sleep(restMs);
      return entries;
    }

    async function take(
      entries: readonly Committed[],
      before: JournalPosition,
    ): Promise<Taken<JournalPosition> | undefined> {
      const step = takeStep(entries, grids);
      const { sequence } = step.position;
      stepAtMs = performance.now();
      const commands = [...stateWrites(step.rows, { grids, nextOrderId, expiring, sequence }), positionWrite(step)];
      const guard = { key: PROJECTED_KEY, field: "sequence", expected: String(before.sequence) };
      if (!(await writes.write(guard, commands, isAscii(step.rows)))) return undefined;
      nextOrderId = step.rows.clock.nextOrderId;
      onProjected(sequence);
      await publishTerms(step.rows.pairs, grids);
      books.absorb(step.rows, sequence);
      return step;
    }

    async function close(end: RunEnd): Promise<void> {
      committed.close();
      await books.stop(end === "stopped");
    }

    return { position, next, take, close };
  }

  /** A pair's row comes with each of its trades; its terms are published when they are new. */
  async function publishTerms(pairs: readonly PairRow[], grids: Grids): Promise<void> {
    const changed = pairs.filter(({ pair, version }) => publishedVersions.get(pair) !== version);
    await writePublicCopies(redis, changed, grids);
    for (const { pair, version } of changed) publishedVersions.set(pair, version);
  }

  async function measure(): Promise<void> {
    const [committed, projected] = await Promise.all([
      redis.hget(OFFSET_KEY, "sequence"),
      redis.hget(PROJECTED_KEY, "sequence"),
    ]);
    lag = Number(committed ?? 0) - Number(projected ?? 0);
  }

  // While Redis is unavailable the last figure counts; the store's own health reports the outage.
  const measuring = setInterval(() => void measure().catch(() => {}), MEASURE_EVERY_MS);
  const lease = { redis, key: PROJECTOR_KEY, owner };
  const following = followJournal({ name: "state projection", open, connections: [redis, reader, writer], lease, log });
  return {
    lag: () => lag,
    stop: async () => {
      clearInterval(measuring);
      await following.stop();
    },
  };
}

type Step = { readonly count: number; readonly rows: LatestRows; readonly position: JournalPosition };

/** As many whole entries as one transaction should take, and at least one. */
function takeStep(entries: readonly Committed[], grids: Grids): Step {
  const rows = createLatestRows();
  let count = 0;
  let position: JournalPosition | undefined;
  for (const committed of entries) {
    if (count > 0 && rows.orders.size + committed.changes.orders.length > STEP_ORDERS_MAX) break;
    grids.learn(committed.changes);
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
    ...([
      "HSET",
      PROJECTED_KEY,
      "sequence",
      position.sequence,
      "hash",
      position.hash,
      "command",
      position.command,
    ] as const),
    ...["at", at, "next_order_id", nextOrderId, "next_trade_id", nextTradeId],
  ];
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Only texts from clients can contain other characters. */
function isAscii(rows: LatestRows): boolean {
  for (const order of rows.orders.values())
    if (NOT_ASCII.test(order.clientOrderId) || NOT_ASCII.test(order.user)) return false;
  for (const list of rows.lists.values()) if (NOT_ASCII.test(list.clientListId + list.user)) return false;
  for (const reference of rows.references.values()) if (NOT_ASCII.test(reference.user)) return false;
  return areAscii(rows.balances.keys()) && areAscii(rows.users.keys());
}

function areAscii(texts: Iterable<string>): boolean {
  for (const text of texts) if (NOT_ASCII.test(text)) return false;
  return true;
}
