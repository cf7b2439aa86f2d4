import type { PlainSettings } from "../../kit/line-settings.ts";
import { insist } from "../../kit/objection.ts";
import { goesBefore, type Member } from "./member.ts";

/**
 * When visitors may enter: an exact account of the tokens, which also shows when a visitor must be admitted, and G2
 * over all windows of entry times.
 */
export type EntryAudit = {
  /** A call reads the account and may write it. */
  readonly look: (nowMs: number, settings: PlainSettings, isWritten: boolean) => void;
  /** When the last of this many visitors enters, one after the other. May lie in the past. */
  readonly entryMs: (number: number, settings: PlainSettings, last: Member) => number;
  /** How far ahead an entry may be granted with this many free slots. */
  readonly holdMs: (room: number, settings: PlainSettings) => number;
  /** A visitor takes that entry. */
  readonly take: (number: number, settings: PlainSettings, by: Member) => void;
};

const HOLD_MS_MAX = 500;
/** A visitor takes no free entry more than this before the entry of a visitor in front. */
const PASSING_MS_MAX = 200;
/** The store rounds to nine decimals, thousands of times. */
export const TOLERANCE = 1e-3;

type Account = { tokens: number; atMs: number; credit: number; free: number[] };

/** Two visitors with the same drawn number share a place. */
function isBefore(one: Member, other: Member): boolean {
  return goesBefore(one, { ...other, ticketId: "" });
}

export function createEntryAudit(startMs: number): EntryAudit {
  // Nothing is written before the first change: until then the bucket is full at any burst.
  let written: Account | undefined;
  let account: Account = { tokens: 0, atMs: startMs, credit: 0, free: [] };
  let nowMs = startMs;
  /** Visitors whose entry lies ahead. */
  let granted: { readonly member: Member; readonly atMs: number }[] = [];
  /** Entries under the same limits. */
  let entries: number[] = [];
  let limits = "";

  function asOfNow({ rate, burst }: PlainSettings): Account {
    if (written === undefined) return { tokens: burst, atMs: nowMs, credit: 0, free: [] };
    const passed = written.free.filter((ms) => ms <= nowMs).length;
    const credit = Math.min(burst - 1, written.credit + passed);
    const free = written.free.filter((ms) => ms > nowMs);
    if (written.atMs > nowMs) return { tokens: Math.min(burst, written.tokens), atMs: written.atMs, credit, free };
    const earned = ((nowMs - written.atMs) * rate) / 1_000;
    return { tokens: Math.min(burst, written.tokens + earned + credit), atMs: nowMs, credit: 0, free };
  }

  /** The free entries that this visitor may take. */
  function openTo(visitor: Member): Pick<Account, "credit" | "free"> {
    const { credit, free } = account;
    const before = granted.filter(({ member, atMs }) => atMs > nowMs && isBefore(member, visitor));
    const earliestMs = Math.max(nowMs, ...before.map(({ atMs }) => atMs - PASSING_MS_MAX));
    return { credit: earliestMs > nowMs ? 0 : credit, free: free.filter((ms) => ms >= earliestMs) };
  }

  function entryMs(number: number, { rate }: PlainSettings, last: Member): number {
    const { tokens, atMs } = account;
    const { credit, free } = openTo(last);
    if (number <= credit) return nowMs;
    return free[number - credit - 1] ?? atMs + ((number - credit - free.length - tokens) * 1_000) / rate;
  }

  function checkWindows(entry: number, { rate, burst }: PlainSettings): void {
    entries = [...entries, entry].toSorted((one, other) => one - other);
    let least = Number.POSITIVE_INFINITY;
    for (const [index, atMs] of entries.entries()) {
      least = Math.min(least, index - (rate * (atMs - 1)) / 1_000);
      insist(
        index + 1 - (rate * atMs) / 1_000 - least <= burst + TOLERANCE,
        "G2: more entries in a window than burst + rate * window",
      );
    }
  }

  return {
    entryMs,
    look: (lookedMs, settings, isWritten) => {
      nowMs = lookedMs;
      account = asOfNow(settings);
      const inForce = `${settings.rate} ${settings.burst}`;
      if (inForce !== limits) entries = [];
      limits = inForce;
      // Tokens beyond a smaller burst are lost at the first look.
      const isCut = written !== undefined && written.tokens > settings.burst;
      if (isWritten || isCut || account.atMs > nowMs) written = account;
    },
    holdMs: (room, { rate, burst }) =>
      Math.max(0, Math.min(HOLD_MS_MAX - ((burst - 1) * 1_000) / rate, (room * 500) / rate)),
    take: (number, settings, by) => {
      const entry = Math.max(nowMs, entryMs(number, settings, by));
      const { tokens, atMs, credit, free } = account;
      const open = openTo(by);
      const behind = number - open.credit - open.free.length;
      granted = [...granted.filter((other) => other.atMs > nowMs), { member: by, atMs: Math.ceil(entry - TOLERANCE) }];
      if (number <= open.credit) account = { ...account, credit: credit - 1 };
      else if (behind <= 0) account = { ...account, free: free.filter((ms) => ms !== entry) };
      else if (entry <= nowMs) account = { ...account, tokens: tokens - 1 };
      else {
        const skipped = Array.from(
          { length: behind - 1 },
          (_, index) => atMs + ((index + 1 - tokens) * 1_000) / settings.rate,
        );
        const passed = skipped.filter((ms) => ms <= nowMs).length;
        account = {
          tokens: 0,
          atMs: entry,
          credit: Math.min(credit + passed, settings.burst - 1),
          free: [...free, ...skipped.filter((ms) => ms > nowMs)],
        };
      }
      written = account;
      checkWindows(Math.ceil(entry - TOLERANCE), settings);
    },
  };
}
