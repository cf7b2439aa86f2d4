import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { scriptRunner } from "../redis/script-runner.ts";
import { untilReady } from "../redis/until-ready.ts";
import { CONSUMERS_KEY } from "./keys.ts";
import { ACQUIRE_EVERY_MS, acquireLease, keepLease, type Lease } from "./lease.ts";

/**
 * The loop of every consumer of the journal: state projection, ledger, tables. It promises that a consumer gets each
 * entry once and in order, because the consumer moves its position in the same transaction as its rows and the loop
 * reads that position again after every failure. While a store is unavailable the loop retries with back-off. It logs
 * each different error once per outage, and the recovery.
 */
export type JournalConsumer<Entry, Position extends Sequenced> = {
  /** In log messages and in the registry. */
  readonly name: string;
  /** Starts a run at the position that the consumer's store holds. */
  readonly open: () => Promise<Run<Entry, Position>>;
  /** Awaited before each run: a connection that is still being made does not count as an unavailable store. */
  readonly connections?: readonly Redis[];
  /** Of several processes, only the one with the lease runs. It saves work; the position decides. */
  readonly lease?: { readonly redis: Redis; readonly key: string; readonly owner: string };
  /**
   * Where the consumer registers: nothing is trimmed that it has not taken. Without it, a slow consumer must cope with
   * missing entries.
   */
  readonly registry?: Redis;
  /** A consumer that polls: the pause before the first run and between two. Otherwise `next` waits for entries. */
  readonly everyMs?: number;
  /** The pause after another process has moved the position. */
  readonly standbyMs?: number;
  readonly retryMsMax?: number;
  /** Spreads the retries of several processes: at least 0, below 1. */
  readonly random?: () => number;
  /** Stops for good at a journal that contradicts the position, instead of retrying. */
  readonly haltsOnFault?: boolean;
  readonly log: Logger;
};

type Sequenced = { readonly sequence: number };

/** From one `open` to its end. */
export type Run<Entry, Position extends Sequenced> = {
  readonly position: Position;
  /** The entries after a position; empty when there are none, after a short wait unless the consumer polls. */
  readonly next: (after: Position) => Promise<readonly Entry[]>;
  /**
   * Takes entries from the head of the list, in one transaction with the position; undefined if another process has
   * moved the position.
   */
  readonly take: (entries: readonly Entry[], before: Position) => Promise<Taken<Position> | undefined>;
  /** True once the run cannot continue: the loop opens the next one. */
  readonly isOver?: () => boolean;
  readonly close?: (end: RunEnd) => Promise<void>;
};

export type Taken<Position> = { readonly count: number; readonly position: Position };

/**
 * `lost`: another process has moved the position. `idle`: no entry is left, for a consumer that polls. `standby`:
 * another process has the lease.
 */
export type RunEnd = "stopped" | "over" | "lost" | "idle" | "standby" | "failed";

/** `entries`: read, and not taken yet. */
type Progress<Entry, Position> = {
  readonly position: Position;
  readonly entries: readonly Entry[];
  readonly isIdle: boolean;
};

export type FollowedJournal = {
  readonly state: () => {
    /** The last entry that was taken, as far as this process knows; undefined before the first run. */
    readonly sequence: number | undefined;
    readonly isFailing: boolean;
    /** Why the loop has stopped for good. */
    readonly haltedFor: string | undefined;
  };
  /** Takes every entry that is there now. Rejects where the loop would retry. */
  readonly drain: () => Promise<void>;
  /** With `drainMs`, the loop drains the rest within that time. */
  readonly stop: (options?: { readonly drainMs?: number }) => Promise<void>;
};

/** The journal contradicts the consumer's position. */
export class JournalFault extends Error {
  override readonly name = "JournalFault";
}

const RETRY_MS_FIRST = 100;
const RETRY_MS_MAX = 2_000;
const STANDBY_MS = 200;
const READY_MS = 1_000;
/** Errors that differ in a number only must not fill the log. */
const LOGGED_PER_OUTAGE_MAX = 10;

export function followJournal<Entry, Position extends Sequenced>(
  consumer: JournalConsumer<Entry, Position>,
): FollowedJournal {
  const {
    name,
    connections = [],
    registry,
    everyMs = 0,
    standbyMs = STANDBY_MS,
    retryMsMax = RETRY_MS_MAX,
    random,
    log,
  } = consumer;
  const stopping = new AbortController();
  const logged = new Set<string>();
  let retryMs = RETRY_MS_FIRST;
  let sequence: number | undefined;
  let isFailing = false;
  let isStandby = false;
  let haltedFor: string | undefined;

  const isStopping = () => stopping.signal.aborted;
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {});

  /** After the transaction, never before: the journal may be trimmed up to here. */
  async function noteTaken(position: Position): Promise<void> {
    sequence = position.sequence;
    await registry?.hset(CONSUMERS_KEY, name, String(sequence));
    if (isFailing) log.info({ sequence }, `the ${name} follows the journal again`);
    isFailing = false;
    logged.clear();
    retryMs = RETRY_MS_FIRST;
  }

  /** Undefined if another process has moved the position. */
  async function step(run: Run<Entry, Position>, { position, entries: left }: Progress<Entry, Position>) {
    const entries = left.length > 0 ? left : await run.next(position);
    const isIdle = entries.length === 0;
    const taken = isIdle ? { count: 0, position } : await run.take(entries, position);
    if (taken === undefined) return undefined;
    await noteTaken(taken.position);
    return { position: taken.position, entries: entries.slice(taken.count), isIdle };
  }

  async function follow(run: Run<Entry, Position>, isOver: () => boolean, isDraining: boolean): Promise<RunEnd> {
    let progress: Progress<Entry, Position> = { position: run.position, entries: [], isIdle: false };
    const endsWhenIdle = isDraining || everyMs > 0;
    sequence = run.position.sequence;
    while (isDraining || !isStopping()) {
      if (isOver()) return "over";
      const next = await step(run, progress);
      if (next === undefined) return "lost";
      if (next.isIdle && endsWhenIdle) return "idle";
      progress = next;
    }
    return "stopped";
  }

  /** Undefined while another process holds the lease. */
  async function takeLease({ redis, key, owner }: NonNullable<typeof consumer.lease>): Promise<Lease | undefined> {
    const runner = scriptRunner(redis);
    const epoch = await acquireLease(runner, owner, { key });
    if (epoch === undefined && !isStandby) log.info(`another process runs the ${name}: standing by`);
    isStandby = epoch === undefined;
    return epoch === undefined ? undefined : keepLease(runner, epoch, log, { key });
  }

  async function runOnce(isDraining: boolean): Promise<RunEnd> {
    await Promise.all(connections.map((redis) => untilReady(redis, READY_MS)));
    // Before the position is known: trimming waits from the first moment on.
    if (sequence === undefined) await registry?.hsetnx(CONSUMERS_KEY, name, "0");
    if (consumer.lease === undefined) return runFrom(await consumer.open(), isDraining);
    const lease = await takeLease(consumer.lease);
    if (lease === undefined) return "standby";
    try {
      const end = await runFrom(await consumer.open(), isDraining, lease);
      if (end === "stopped") await lease.giveBack();
      return end;
    } finally {
      lease.letGo();
    }
  }

  async function runFrom(run: Run<Entry, Position>, isDraining: boolean, lease?: Lease): Promise<RunEnd> {
    const isOver = () => run.isOver?.() === true || lease?.isLost() === true;
    let end: RunEnd = "failed";
    try {
      end = await follow(run, isOver, isDraining);
    } finally {
      await run.close?.(end);
    }
    return end;
  }

  function noteFailure(error: unknown): void {
    isFailing = true;
    const text = String(error);
    if (logged.has(text) || logged.size >= LOGGED_PER_OUTAGE_MAX) return;
    logged.add(text);
    log.error({ err: error }, `the ${name} cannot follow the journal and retries`);
  }

  function halt(reason: string): void {
    haltedFor = reason;
    log.fatal({ sequence }, `the ${name} stops: ${reason}`);
  }

  /** The pause after a failure: doubled up to its bound until an entry is taken. */
  function backOffMs(): number {
    const ms = retryMs * (0.5 + (random?.() ?? 1) / 2);
    retryMs = Math.min(retryMs * 2, retryMsMax);
    return Math.max(everyMs, ms);
  }

  function noteError(error: unknown): void {
    if (isStopping()) return;
    if (error instanceof JournalFault && consumer.haltsOnFault === true) halt(error.message);
    else noteFailure(error);
  }

  function pauseAfter(end: RunEnd): number {
    if (end === "over") return 0;
    return end === "standby" ? ACQUIRE_EVERY_MS : everyMs || standbyMs;
  }

  /** One run, and how long to wait before the next. */
  async function runSafely(): Promise<number> {
    try {
      return pauseAfter(await runOnce(false));
    } catch (error) {
      noteError(error);
      return backOffMs();
    }
  }

  async function loop(): Promise<void> {
    if (everyMs > 0) await pause(everyMs);
    while (!isStopping() && haltedFor === undefined) await pause(await runSafely());
  }

  async function drain(): Promise<void> {
    while ((await runOnce(true)) === "over");
  }

  const looping = loop();
  return {
    state: () => ({ sequence, isFailing, haltedFor }),
    drain,
    stop: async ({ drainMs } = {}) => {
      stopping.abort();
      if (drainMs === undefined) return looping;
      await Promise.race([looping.then(drain).catch(noteFailure), sleep(drainMs, undefined, { ref: false })]);
    },
  };
}
