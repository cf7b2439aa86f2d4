import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../../../shared/clock.ts";
import type { PartHealth } from "../../../shared/http/health.ts";
import { takesOnMore } from "../../commit/submit/commands.ts";
import type { CommandBody } from "../../engine/command.ts";
import { firstEntry, type JournalEntry, readJournal } from "../../journal/journal.ts";
import { bodyTime } from "../../journal/journal-body.ts";
import { CONSUMERS_KEY, JOURNAL_KEY, OFFSET_KEY } from "../../journal/keys.ts";

/**
 * The journal entries that PostgreSQL does not hold. While PostgreSQL is unavailable the backlog grows, and with it the
 * loss if the venue's Redis were lost too. At a quarter of the bound, or when the oldest entry is ten seconds old, it
 * is logged; at the bound new orders are refused, while orders can still be cancelled.
 */
export type Backlog = {
  readonly entries: number;
  /** Age of the oldest entry. */
  readonly ageMs: number;
  /** Their size in Redis. */
  readonly bytes: number;
  readonly level: "ok" | "late" | "full";
};

export type WatchedBacklog = {
  readonly current: () => Backlog;
  /** Whether a command of this kind may be appended now. */
  readonly refusalOf: (body: CommandBody) => "backlog_full" | undefined;
  readonly health: () => PartHealth;
  readonly stop: () => void;
};

type BacklogParts = {
  readonly redis: Redis;
  readonly clock: Clock;
  readonly log: Logger;
  readonly bytesMax: number;
  /** Why the ledger of this process has stopped. */
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
    const [committed, written] = await Promise.all([
      redis.hget(OFFSET_KEY, "sequence"),
      redis.hget(CONSUMERS_KEY, "ledger"),
    ]);
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
      // Redis is unavailable: nothing is appended then, and its own health check reports it.
    } finally {
      timer.refresh();
    }
  }

  function tell(before: Backlog["level"]): void {
    const { level, ...facts } = backlog;
    if (level === "full")
      log.error(facts, "the backlog is at its bound: new orders are refused until PostgreSQL has caught up");
    else if (level === "late")
      log.warn(
        facts,
        before === "full"
          ? "the backlog is below its bound again: new orders are accepted"
          : "PostgreSQL is behind the journal",
      );
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

/** Age of the newest command in the entry. */
function ageOf(entry: JournalEntry | undefined, nowMs: number): number {
  return entry === undefined ? 0 : Math.max(0, nowMs - bodyTime(entry.body));
}
