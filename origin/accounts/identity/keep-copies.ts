import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Database } from "../../db/database.ts";
import type { CopyAccount } from "./copy-account.ts";
import { ALL_USERS_KEY } from "./keys.ts";
import type { UserCopies } from "./user-copies.ts";
import { listAllUsers, listChangedUsers, listKnownIds } from "./user-queries.ts";

type Parts = {
  readonly database: Database;
  readonly redis: Redis;
  readonly copies: UserCopies;
  readonly copyAccount: CopyAccount;
};

type KeptParts = Parts & {
  readonly log: Logger;
  /** Other copies that are updated with them. */
  readonly alsoCopy: readonly (() => Promise<void>)[];
  /** Whether the venue's other data was read. */
  readonly isAlsoReady: () => boolean;
};

const PAGE = 500;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** At the start: every account of the record has its copy, and no copy exists without its account. */
async function rebuildCopies({ database, redis, copies, copyAccount }: Parts): Promise<number> {
  let afterId = FIRST_ID;
  let count = 0;
  for (;;) {
    const users = await listAllUsers.all(database, { afterId, limit: PAGE });
    await copyAccount.asInRecord(users, { isWhole: true });
    count += users.length;
    const last = users.at(-1);
    if (last === undefined || users.length < PAGE) break;
    afterId = last.id;
  }
  await removeStrays({ database, redis, copies });
  return count;
}

async function removeStrays({ database, redis, copies }: Omit<Parts, "copyAccount">): Promise<void> {
  let cursor = "0";
  do {
    const [next, ids] = await redis.sscan(ALL_USERS_KEY, cursor, "COUNT", PAGE);
    cursor = next;
    const known = new Set((await listKnownIds.all(database, { ids })).map(({ id }) => id));
    for (const id of ids) if (!known.has(id)) await copies.remove(id);
  } while (cursor !== "0");
}

const LOOK_EVERY_MS = 2_000;
/** Longer than a transaction may last: one that began before the last pass may have ended after it. */
const OVERLAP_MS = 15_000;

export type KeptCopies = {
  /** False until the copies were updated from the record once: before that, it is not known which accounts exist. */
  readonly isReady: () => boolean;
  /** Settles after the first attempt, successful or not. */
  readonly firstTry: Promise<void>;
  readonly stop: () => void;
};

/**
 * Updates the copies from the record, then checks every two seconds for changes. A copy that could not be written
 * (Redis was unavailable, the process died between the two writes, a row was repaired by hand) is there a moment later,
 * and a user who lost access in the record loses it here.
 */
export function keepCopies(parts: KeptParts, nowMs: number): KeptCopies {
  const { database, copyAccount, log, alsoCopy, isAlsoReady } = parts;
  let lastMs = nowMs;
  let areComplete = false;
  let isUnavailable = false;

  async function rebuild(): Promise<void> {
    log.info({ count: await rebuildCopies(parts) }, "the copies of accounts are up to date");
    areComplete = true;
  }

  async function copyChanges(): Promise<void> {
    let page = { sinceMs: lastMs - OVERLAP_MS, afterId: FIRST_ID };
    for (;;) {
      const users = await listChangedUsers.all(database, { ...page, limit: PAGE });
      await copyAccount.asInRecord(users, { isWhole: false });
      const last = users.at(-1);
      if (last !== undefined) page = { sinceMs: last.updatedAt, afterId: last.id };
      if (users.length < PAGE) break;
    }
    lastMs = Math.max(lastMs, page.sinceMs);
  }

  async function look(): Promise<void> {
    try {
      for (const copy of alsoCopy) await copy();
      await (areComplete ? copyChanges() : rebuild());
      if (isUnavailable) log.info("copies of accounts follow the record again");
      isUnavailable = false;
    } catch (error) {
      if (!isUnavailable) log.warn({ err: error }, "copies of accounts cannot follow the record");
      isUnavailable = true;
    } finally {
      timer.refresh();
    }
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  return { isReady: () => areComplete && isAlsoReady(), firstTry: look(), stop: () => clearTimeout(timer) };
}
