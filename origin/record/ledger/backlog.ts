import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../../shared/clock.ts";
import type { PartHealth } from "../../shared/health.ts";
import { type CommandBody, takesOnMore } from "../commands/commands.ts";
import { firstEntry, type JournalEntry, readJournal } from "../commit/journal.ts";
import { bodyTime } from "../commit/journal-body.ts";
import { CONSUMERS_KEY, JOURNAL_KEY, OFFSET_KEY } from "../commit/keys.ts";

/**
 * What the journal holds that PostgreSQL does not. As long as PostgreSQL is away it grows, and with it what would be lost if the venue's Redis
 * were lost as well. At a quarter of the bound, or when the oldest entry is ten seconds old, it is told; at the bound nothing new is
 * taken, while orders can still be cancelled.
 */
export type Backlog = {
  readonly entries: number;
  /** How old the oldest of them is. */
  readonly ageMs: number;
  /** What they take in Redis. */
  readonly bytes: number;
  readonly level: "ok" | "late" | "full";
};

export type WatchedBacklog = {
  readonly current: () => Backlog;
  /** Whether a command like this may be appended now. */
  readonly refusalOf: (body: CommandBody) => "backlog_full" | undefined;
  readonly health: () => PartHealth;
  readonly stop: () => void;
};

type BacklogParts = {
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Logger;
  readonly bytesMax: number;
  /** Of a ledger in this process: why it does not go on by itself. */
  readonly haltedFor: () => string | undefined;
};

const LOOK_EVERY_MS = 500;
const LATE_MS = 10_000;
const LATE_SHARE = 4;
/** Enough entries for an average, few enough to be quick. */
const MEMORY_SAMPLES = 10;

export function watchBacklog({ redis, clock, log, bytesMax, haltedFor }: BacklogParts): WatchedBacklog {
  let backlog: Backlog = { entries: 0, ageMs: 0, bytes: 0, level: "ok" };

  async function measure(): Promise<Backlog> {
    const [committed, written] = await Promise.all([redis.hget(OFFSET_KEY, "sequence"), redis.hget(CONSUMERS_KEY, "ledger")]);
    const entries = Math.max(0, Number(committed ?? 0) - Number(written ?? 0));
    if (entries === 0) return { entries, ageMs: 0, bytes: 0, level: "ok" };
    const [oldest] = await readJournal(redis, Number(written ?? 0), 1);
    const ageMs = ageOf(oldest ?? (await firstEntry(redis)), clock.nowMs());
    const held = await redis.xlen(JOURNAL_KEY);
    const memory = Number(await redis.call("MEMORY", "USAGE", JOURNAL_KEY, "SAMPLES", MEMORY_SAMPLES));
    const bytes = Math.round((memory * Math.min(entries, held)) / Math.max(1, held));
    return { entries, ageMs, bytes, level: levelOf(ageMs, bytes) };
  }

  function levelOf(ageMs: number, bytes: number): Backlog["level"] {
    if (bytes >= bytesMax) return "full";
    return ageMs >= LATE_MS || bytes * LATE_SHARE >= bytesMax ? "late" : "ok";
  }

  async function look(): Promise<void> {
    try {
      const before = backlog.level;
      backlog = await measure();
      if (backlog.level !== before) tell(before);
    } catch {
      // Redis is away: then nothing is appended anyway, and its own health says so.
    } finally {
      timer.refresh();
    }
  }

  function tell(before: Backlog["level"]): void {
    const { level, ...facts } = backlog;
    if (level === "full")
      log.error(facts, "the journal is full of what PostgreSQL does not hold: nothing new is taken until it has caught up");
    else if (level === "late")
      log.warn(facts, before === "full" ? "the backlog is below its bound again: commands are taken" : "PostgreSQL is behind the journal");
    else log.info(facts, "PostgreSQL has caught up with the journal");
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  void look();
  const isClosed = () => backlog.level === "full" || haltedFor() !== undefined;
  return {
    current: () => backlog,
    refusalOf: (body) => (isClosed() && takesOnMore(body) ? "backlog_full" : undefined),
    health: () => healthOf(backlog, haltedFor()),
    stop: () => clearTimeout(timer),
  };
}

function healthOf({ entries, ageMs, bytes, level }: Backlog, haltedFor: string | undefined): PartHealth {
  const behind = `${entries} journal entries (${Math.ceil(bytes / 1024)} KiB, ${(ageMs / 1000).toFixed(1)} s) behind`;
  if (haltedFor !== undefined) return { name: "ledger", state: "down", detail: `The ledger has stopped: ${haltedFor}` };
  return { name: "ledger", state: level === "full" ? "down" : "ok", detail: behind };
}

/** Since the youngest command of the entry was made. */
function ageOf(entry: JournalEntry | undefined, nowMs: number): number {
  return entry === undefined ? 0 : Math.max(0, nowMs - bodyTime(entry.body));
}
