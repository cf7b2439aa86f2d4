import type { Logger } from "pino";

/**
 * Writes when something happened last, after the answer was sent: all notes of 250 ms in one statement, because a
 * crowd arrives at once. No caller waits for it, and notes that are lost while PostgreSQL is unavailable do not matter.
 */
export type LateNotes = { readonly note: (id: string, atMs: number) => void; readonly stop: () => void };

export type Noted = { readonly ids: readonly string[]; readonly timesMs: readonly string[] };

const WRITE_AFTER_MS = 250;
/** More than one process can see within that time; further notes are dropped. */
const WAITING_MAX = 1_000;

type NoteParts = {
  /** Names the notes in the log. */
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
      if (!isAway) log.warn({ err: error, count: noted.ids.length }, `${what} were not written`);
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
