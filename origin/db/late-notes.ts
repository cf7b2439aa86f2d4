import type { Logger } from "pino";

/**
 * When something happened last, written behind the answer: all of a moment in one statement, because a crowd comes at once and the
 * database has better things to do. Nobody waits for it, and what is lost while PostgreSQL is away is not missed.
 */
export type LateNotes = { readonly note: (id: string, atMs: number) => void; readonly stop: () => void };

export type Noted = { readonly ids: readonly string[]; readonly timesMs: readonly string[] };

const WRITE_AFTER_MS = 250;
/** More than one process can see within that time; beyond it notes are dropped. */
const WAITING_MAX = 1_000;

type NoteParts = {
  /** For the log: what was not noted. */
  readonly what: string;
  readonly write: (noted: Noted) => Promise<unknown>;
  readonly log: Logger;
};

export function createLateNotes({ what, write, log }: NoteParts): LateNotes {
  const waiting = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let isAway = false;

  async function writeWaiting(): Promise<void> {
    timer = undefined;
    const noted = { ids: [...waiting.keys()], timesMs: [...waiting.values()].map(String) };
    waiting.clear();
    try {
      await write(noted);
      isAway = false;
    } catch (error) {
      if (!isAway) log.warn({ err: error, count: noted.ids.length }, `${what} were not noted`);
      isAway = true;
    }
  }

  return {
    note(id, atMs) {
      if (waiting.size >= WAITING_MAX) return;
      waiting.set(id, atMs);
      timer ??= setTimeout(() => void writeWaiting(), WRITE_AFTER_MS).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
