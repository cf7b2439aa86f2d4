import type { Redis } from "ioredis";
import { z } from "zod";
import { DatabaseUnavailable } from "../db/database.ts";
import type { History } from "../record/history/history.ts";
import { createUsersWithoutMore } from "../record/history/users-without-more.ts";
import { replies } from "../redis/pipeline.ts";
import { BELOW_KEY, movementsKey } from "../state/keys.ts";
import { USER_MOVEMENTS_MAX } from "../state/state-writes.ts";
import type { Movement, MovementList, MovementPage } from "./trading-port.ts";

/**
 * Deposits, withdrawals and transfers, the newest first: the latest from Redis, older ones from the ledger. A page ends
 * with the time and the command of its last entry, and the next page begins below it. Undefined while some have left
 * Redis and the ledger does not have them yet.
 */
export type WalletHistory = (user: string, page: MovementPage) => Promise<MovementList | undefined>;

/** The time of an entry, and its id, which is the command's id. */
export const HISTORY_CURSOR = /^(\d{1,16})_([\w.:-]{1,120})$/;

export const movementSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(["deposit", "withdrawal", "transfer"]),
  direction: z.enum(["in", "out"]),
  currency: z.string(),
  amount: z.string(),
  reference: z.string(),
  at: z.int(),
});

/** A movement happened by this journal entry; entries of early versions do not have it. */
const storedSchema = movementSchema.extend({ sequence: z.int().optional() }).strip();
type StoredMovement = z.output<typeof storedSchema>;

/** How many movements of one user can be in one batch, with the same time. */
const SAME_TIME_MAX = 256;

type Place = { readonly at: number; readonly id: string };

export function createWalletHistory({
  redis,
  history,
}: {
  readonly redis: Redis;
  readonly history: History;
}): WalletHistory {
  const withoutMore = createUsersWithoutMore();

  async function older(
    user: string,
    { before, limit }: { before: Place | undefined; limit: number },
  ): Promise<readonly Movement[]> {
    if (before === undefined) return history.movementsUntil(user, { toMs: Number.POSITIVE_INFINITY, limit });
    const rows = await history.movementsUntil(user, { toMs: before.at, limit: limit + SAME_TIME_MAX });
    return entriesAfter(rows, before).slice(0, limit);
  }

  type Rest = {
    readonly found: readonly StoredMovement[];
    /** Whether `found` is everything that Redis has. */
    readonly isWholeList: boolean;
    readonly before: Place | undefined;
    readonly limit: number;
  };

  async function readOlder(user: string, { found, isWholeList, before, limit }: Rest): Promise<MovementList> {
    try {
      const rest = await older(user, { before, limit: limit - found.length + 1 });
      if (isWholeList && rest.length === 0) withoutMore.add(user);
      const entries = [...found, ...rest];
      return answerOf(entries.slice(0, limit), entries.length > limit);
    } catch (error) {
      // Recent entries are shown; the next page begins below them.
      if (error instanceof DatabaseUnavailable && found.length > 0) return answerOf(found, true);
      throw error;
    }
  }

  return async (user, { cursor, limit }) => {
    const [texts, mark] = await replies(
      redis.pipeline().lrange(movementsKey(user), 0, -1).hget(BELOW_KEY, "movements"),
    );
    const list = (texts as readonly string[]).map((text) => storedSchema.parse(JSON.parse(text)));
    const after = placeOf(cursor);
    const found: readonly StoredMovement[] = after === undefined ? list : entriesAfter(list, after);
    if (found.length > limit) return answerOf(found.slice(0, limit), true);
    const isCut = list.length >= USER_MOVEMENTS_MAX;
    if (!isCut && (mark === null || withoutMore.has(user))) return answerOf(found, false);
    const rest = { found, isWholeList: after === undefined, before: found.at(-1) ?? after, limit };
    return isCut && (await isBehind(list)) ? undefined : readOlder(user, rest);
  };

  /**
   * Whether the ledger lacks entries that were cut from this list. If PostgreSQL is unavailable, `readOlder` finds out.
   */
  async function isBehind(list: readonly StoredMovement[]): Promise<boolean> {
    const sequence = list.at(-1)?.sequence ?? 0;
    try {
      return (await history.ledgerSequence()) < sequence;
    } catch (error) {
      if (error instanceof DatabaseUnavailable) return false;
      throw error;
    }
  }
}

/** The entries after a position, the newest first. A position that is no longer in the list is found by its time. */
function entriesAfter<Entry extends Place>(list: readonly Entry[], place: Place): readonly Entry[] {
  const at = list.findIndex(({ id }) => id === place.id);
  return at === -1 ? list.filter((movement) => movement.at < place.at) : list.slice(at + 1);
}

function placeOf(cursor: string | undefined): Place | undefined {
  const [, at, id] = HISTORY_CURSOR.exec(cursor ?? "") ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}

function answerOf(
  movements: readonly (Movement & { readonly sequence?: number | undefined })[],
  hasMore: boolean,
): MovementList {
  const entries = movements.map(({ sequence: _sequence, ...entry }) => entry);
  const last = entries.at(-1);
  return { entries, nextCursor: hasMore && last !== undefined ? `${last.at}_${last.id}` : null };
}
