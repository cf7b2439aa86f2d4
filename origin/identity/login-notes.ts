import type { Logger } from "pino";
import type { Database } from "../db/database.ts";
import type { UserCopies } from "./user-copies.ts";
import { noteLogins } from "./user-queries.ts";

/**
 * When people signed in last, written behind the answer: all who came within a moment in one statement, because a crowd signs in at
 * once and the database has better things to do. Nobody waits for it, and what is lost while PostgreSQL is away is not missed.
 */
export type LoginNotes = { readonly note: (userId: string, atMs: number) => void; readonly stop: () => void };

const WRITE_AFTER_MS = 250;
/** More than one process can let in within that time; beyond it notes are dropped. */
const WAITING_MAX = 1_000;

type NoteParts = { readonly database: Database; readonly copies: UserCopies; readonly log: Logger };

export function createLoginNotes({ database, copies, log }: NoteParts): LoginNotes {
  const waiting = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let isAway = false;

  async function write(): Promise<void> {
    timer = undefined;
    const ids = [...waiting.keys()];
    const timesMs = [...waiting.values()].map(String);
    waiting.clear();
    try {
      const noted = await noteLogins.all(database, { ids, timesMs });
      await Promise.all(noted.map((user) => copies.put(user)));
      isAway = false;
    } catch (error) {
      if (!isAway) log.warn({ err: error, count: ids.length }, "sign-ins were not noted");
      isAway = true;
    }
  }

  return {
    note(userId, atMs) {
      if (waiting.size >= WAITING_MAX) return;
      waiting.set(userId, atMs);
      timer ??= setTimeout(() => void write(), WRITE_AFTER_MS).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
