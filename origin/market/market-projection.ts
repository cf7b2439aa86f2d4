import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { assert } from "../../shared/assert.ts";
import { type FollowedJournal, followJournal, JournalFault, type Run } from "../journal/follow-journal.ts";
import { firstEntry } from "../journal/journal.ts";
import { type Committed, type JournalFeed, openCommittedReader } from "../journal/journal-feed.ts";
import { OFFSET_KEY } from "../journal/keys.ts";
import { createGuardedWrites, type GuardedWrites, type Write } from "../state/writes.ts";
import { MARKET_KEY, MARKET_LEASE_KEY } from "./keys.ts";
import { type LoadedMarket, loadMarket } from "./load-market.ts";
import { type MarketPosition, positionWrite } from "./market-state.ts";
import { createMarketRound } from "./summary/market-round.ts";

/**
 * Follows the journal and writes candles, summaries, positions, pump scores and gaps to Redis. Trades are folded in
 * memory as they are committed; up to four times a second everything that has changed is written in one transaction
 * with the position, because each write costs the store an fsync. So every entry is applied once, whatever is killed
 * when. Of several workers, the one with the lease projects. While Redis is unavailable it retries; without PostgreSQL
 * it continues. It does not hold the journal: if entries that it has not read are trimmed, or its keys are lost, it
 * rebuilds itself from the ledger. An entry that does not follow from the one before stops it, with a sentence.
 */
export type MarketProjection = Pick<FollowedJournal, "state"> & {
  /** Writes everything that is committed by now. */
  readonly drain: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

type ProjectionParts = {
  readonly redis: Redis;
  /** Three connections: this one waits for entries, the next one carries the transactions and nothing else. */
  readonly reader: Redis;
  readonly writer: Redis;
  readonly feed: JournalFeed | undefined;
  /** Brings Redis to the state of the ledger. */
  readonly rebuild: (writes: GuardedWrites) => Promise<unknown>;
  readonly nowMs: () => number;
  /** Unique to this process and start. */
  readonly owner: string;
  readonly log: Logger;
  readonly flushMs?: number;
};

/** A person sees a price this late at most; a step of a busy pair is some 20 commands, whatever was traded. */
const FLUSH_MS = 200;
const ROUND_MS = 1_000;

/** One write: everything that was folded since the last one. */
type Step = { readonly writes: readonly Write[]; readonly position: MarketPosition };

export function startMarketProjection({
  redis,
  reader,
  writer,
  feed,
  rebuild,
  nowMs,
  owner,
  log,
  flushMs = FLUSH_MS,
}: ProjectionParts): MarketProjection {
  const writes = createGuardedWrites(writer);

  async function load(): Promise<LoadedMarket> {
    const loaded = await loadMarket(redis, nowMs());
    const reason = loaded.damage ?? (await lossOf(redis, loaded.position));
    if (reason === undefined) return loaded;
    log.warn(`market data is rebuilt from the ledger: ${reason}`);
    await rebuild(writes);
    return loadMarket(redis, nowMs());
  }

  async function open(): Promise<Run<Step, MarketPosition>> {
    const { position, state } = await load();
    const committed = openCommittedReader(reader, feed);
    const round = createMarketRound(redis);
    /** The last entry in memory. */
    let folded = position;
    let isOver = false;
    let stepAtMs = Number.NEGATIVE_INFINITY;
    let roundAtMs = Number.NEGATIVE_INFINITY;

    async function fold(batches: readonly Committed[]): Promise<void> {
      for (const { position: at, changes } of batches) {
        state.grids.learn(changes);
        for (const row of changes.pairs) state.terms.set(row.pair, row);
        if (changes.trades.length > 0) {
          await state.positions.meet(changes.trades, ({ pair, grid }) => state.grids.of(pair, grid));
          state.absorb(changes.trades);
        }
        const { sequence, hash, command } = at;
        folded = { sequence, hash, command, at: changes.at };
      }
    }

    /** Undefined when the next entries were trimmed before they were read: the run is over, and the next one rebuilds. */
    async function read(): Promise<readonly Committed[] | undefined> {
      try {
        return await committed.next(folded);
      } catch (error) {
        isOver = error instanceof JournalFault && (await lossOf(redis, folded)) !== undefined;
        if (isOver) return undefined;
        throw error;
      }
    }

    const isWriteDue = (after: MarketPosition) =>
      folded.sequence > after.sequence && performance.now() - stepAtMs >= flushMs;

    /** Reads and folds until a write is due. */
    async function next(after: MarketPosition): Promise<readonly Step[]> {
      for (let isIdle = false; !isIdle; ) {
        const batches = await read();
        if (batches === undefined) return [];
        await fold(batches);
        const isRound = performance.now() - roundAtMs >= ROUND_MS;
        if (isRound || isWriteDue(after)) return step(isRound);
        isIdle = batches.length === 0 && folded.sequence === after.sequence;
      }
      return [];
    }

    async function step(isRound: boolean): Promise<readonly Step[]> {
      stepAtMs = performance.now();
      if (!isRound) return [{ writes: state.takeWrites(), position: folded }];
      roundAtMs = stepAtMs;
      isOver = await isRebuildAsked(redis);
      if (isOver) return [];
      const ofRound = () => round.writes(state, { at: Math.max(nowMs(), folded.at), sequence: folded.sequence });
      const own = state.takeWrites();
      return [{ writes: [...own, ...(await ofRound())], position: folded }];
    }

    async function take([first]: readonly Step[], before: MarketPosition) {
      assert(first !== undefined, "a step is taken by itself");
      const guard = { key: MARKET_KEY, field: "sequence", expected: String(before.sequence) };
      const all = [...first.writes, positionWrite(first.position)];
      if (!(await writes.write(guard, all, isAscii(first.writes)))) return undefined;
      return { count: 1, position: first.position };
    }

    return { position, next, take, isOver: () => isOver, close: async () => committed.close() };
  }

  const lease = { redis, key: MARKET_LEASE_KEY, owner };
  const connections = [redis, reader, writer];
  const following = followJournal({ name: "market projection", open, connections, lease, haltsOnFault: true, log });
  return { state: following.state, drain: following.drain, stop: () => following.stop() };
}

/** An audit that finds a difference, or an operator, asks for a rebuild. */
async function isRebuildAsked(redis: Redis): Promise<boolean> {
  return (await redis.hexists(MARKET_KEY, "rebuilding")) === 1;
}

/** Why the journal cannot be followed from a position, in a sentence; undefined if it can. */
async function lossOf(redis: Redis, { sequence }: MarketPosition): Promise<string | undefined> {
  const committed = Number((await redis.hget(OFFSET_KEY, "sequence")) ?? 0);
  if (sequence > committed) return `market data is at entry ${sequence} and the journal ends at ${committed}`;
  if (sequence === committed) return undefined;
  const first = await firstEntry(redis);
  if (first !== undefined && first.sequence <= sequence + 1) return undefined;
  return `entry ${sequence + 1} is no longer in the journal`;
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Only names of users can contain other characters. */
function isAscii(writes: readonly Write[]): boolean {
  return !writes.some(([command, key]) => (command === "SET" || command === "SADD") && NOT_ASCII.test(String(key)));
}
