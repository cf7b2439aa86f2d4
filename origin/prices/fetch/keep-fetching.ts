import type { Logger } from "pino";
import type { Clock } from "../../../shared/clock.ts";
import type { Database } from "../../db/database.ts";
import { nextDueMs, type Schedule } from "../calendar/schedule.ts";
import { DAY_MS, tehranDate } from "../calendar/tehran-time.ts";
import { listItems } from "../items/item-queries.ts";
import type { FetchQuotes } from "../providers/fetch-quotes.ts";
import { claimProvider, listProviders, type ProviderRow } from "../providers/provider-queries.ts";
import type { SecretsOf } from "../providers/provider-secrets.ts";
import { applyFetch } from "./apply-fetch.ts";
import { readPriceSettings } from "./fetch-queries.ts";

/**
 * Fetches every provider at its due times. Due times are in the database, so that any number of worker processes and
 * restarts fetch once: the process that moves a due time on is the one that fetches. If it dies before its result is
 * written, that result is lost, the next one comes at the next due time, and prices become stale by their own date.
 */
export type KeptFetching = {
  /** Looks now. Returns the providers that this process has fetched. */
  readonly look: () => Promise<readonly string[]>;
  readonly state: () => FetchingState;
  readonly stop: () => Promise<void>;
};

export type FetchingState = {
  readonly fetches: number;
  readonly failures: number;
  readonly accepted: number;
  readonly refused: number;
};

type FetchingParts = {
  readonly database: Database;
  readonly fetchQuotes: FetchQuotes;
  readonly secretsOf: SecretsOf;
  /** Brings the new prices to their readers. */
  readonly publish: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Null: only `look` looks. */
  readonly everyMs?: number | null;
  /** Nothing is fetched before. */
  readonly after?: Promise<unknown>;
};

const LOOK_EVERY_MS = 1_000;

export function keepFetching(parts: FetchingParts): KeptFetching {
  const { database, fetchQuotes, secretsOf, publish, clock, log, everyMs = LOOK_EVERY_MS, after } = parts;
  const counts = { fetches: 0, failures: 0, accepted: 0, refused: 0 };
  let isUnavailable = false;
  let isStopping = false;
  let running: Promise<readonly string[]> | undefined;

  async function fetchOne(row: ProviderRow, schedule: Schedule): Promise<string | undefined> {
    const nowMs = clock.nowMs();
    const dueNext = nextDueOf(row, schedule, nowMs);
    const claimed = await claimProvider.first(database, {
      provider: row.provider,
      dueAtMs: String(row.dueAt),
      nextDueAtMs: String(dueNext),
      nowMs: String(nowMs),
      day: tehranDate(nowMs),
      requests: requestsOf(row),
    });
    if (claimed === undefined) return undefined;
    const items = (await listItems.all(database, {})).filter((item) => item.provider === row.provider && item.enabled);
    const fetched = await fetchQuotes({ description: row.description, items, secretOf: secretsOf(row), nowMs });
    const fetchMs = Math.max(0, clock.nowMs() - nowMs);
    const report = await applyFetch(database, { row, items, fetched, schedule, nowMs, fetchMs, nextDueMs: dueNext });
    counts.fetches++;
    counts.accepted += report.accepted;
    counts.refused += report.refused.length;
    if (report.fault !== null) {
      counts.failures++;
      log.warn({ provider: row.provider, fault: report.fault }, "a price provider failed: its last prices are stale");
    } else if (report.refused.length > 0)
      log.warn(
        { provider: row.provider, refused: report.refused.slice(0, 5) },
        "values of a price provider were refused",
      );
    return row.provider;
  }

  async function lookOnce(): Promise<readonly string[]> {
    const nowMs = clock.nowMs();
    const due = (await listProviders.all(database, {})).filter((row) => isDue(row, nowMs));
    if (due.length === 0) return [];
    const { schedule } = await readPriceSettings(database);
    const fetched = await Promise.all(due.map((row) => fetchOne(row, schedule)));
    const names = fetched.filter((name) => name !== undefined);
    if (names.length > 0) await publish();
    return names;
  }

  function look(): Promise<readonly string[]> {
    running ??= lookOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function lookQuietly(): Promise<void> {
    try {
      await after;
      await look();
      isUnavailable = false;
    } catch (error) {
      if (!isUnavailable) log.warn({ err: error }, "prices cannot be fetched at the moment");
      isUnavailable = true;
    } finally {
      if (!isStopping) timer?.refresh();
    }
  }

  const timer = everyMs === null ? undefined : setTimeout(() => void lookQuietly(), everyMs).unref();
  return {
    look,
    state: () => ({ ...counts }),
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await running?.catch(() => {});
    },
  };
}

function isDue({ enabled, dueAt, attemptedAt, description }: ProviderRow, nowMs: number): boolean {
  const restMs = description.kind === "http" ? description.minSeconds * 1_000 : 0;
  return enabled && dueAt <= nowMs && (attemptedAt === null || attemptedAt + restMs <= nowMs);
}

function requestsOf({ description }: ProviderRow): number {
  return description.kind === "http" ? description.requests.length : 0;
}

/** A provider with a daily limit is asked at due times that are far enough apart for the limit to last the day. */
function nextDueOf(row: ProviderRow, schedule: Schedule, nowMs: number): number {
  const { description } = row;
  const perDay = description.kind === "http" ? description.requestsPerDay : null;
  if (perDay === null) return nextDueMs(schedule, nowMs);
  const apartMs = DAY_MS / Math.max(1, Math.floor(perDay / requestsOf(row)));
  return nextDueMs(schedule, nowMs + apartMs - 1);
}
