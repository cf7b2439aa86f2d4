import type { Redis } from "ioredis";
import { z } from "zod";
import { DatabaseUnavailable } from "../db/database.ts";
import type { History, OldMovement } from "../history/history.ts";
import { createUsersWithoutMore } from "../history/users-without-more.ts";
import { BELOW_KEY, movementsKey } from "../projections/keys.ts";
import { USER_MOVEMENTS_MAX } from "../projections/movement-writes.ts";
import { replies } from "../redis/pipeline.ts";

/**
 * What came in, went out or changed hands without a trade, the newest first: the latest from Redis, the rest from the ledger. A page ends with the time
 * and the command of its last entry, and the next one begins below it, wherever that is by then. Undefined for the moments in which some
 * have left Redis and the ledger does not have them yet.
 */
export type WalletHistory = (
  user: string,
  page: { readonly cursor: string | undefined; readonly limit: number },
) => Promise<ListedMovements | undefined>;

type ListedMovements = { readonly entries: readonly OldMovement[]; readonly nextCursor: string | null };

/** The time of an entry, and its id, which is the command's. */
export const HISTORY_CURSOR = /^(\d{1,16})_([\w.:-]{1,120})$/;

const storedSchema = z.object({
  id: z.string(),
  kind: z.enum(["deposit", "withdrawal", "transfer"]),
  direction: z.enum(["in", "out"]),
  currency: z.string(),
  amount: z.string(),
  reference: z.string(),
  at: z.int(),
  /** By this journal entry it had happened; not known of those from before the ledger was asked. */
  sequence: z.int().optional(),
});
type StoredMovement = z.output<typeof storedSchema>;

/** So many of one user can be in one batch, and have one time. */
const SAME_TIME_MAX = 256;

type Place = { readonly at: number; readonly id: string };

export function createWalletHistory({ redis, history }: { readonly redis: Redis; readonly history: History }): WalletHistory {
  const withoutMore = createUsersWithoutMore();

  async function older(user: string, { before, limit }: { before: Place | undefined; limit: number }): Promise<readonly OldMovement[]> {
    if (before === undefined) return history.movementsUntil(user, { toMs: Number.POSITIVE_INFINITY, limit });
    const rows = await history.movementsUntil(user, { toMs: before.at, limit: limit + SAME_TIME_MAX });
    return behind(rows, before).slice(0, limit);
  }

  type Rest = {
    readonly found: readonly StoredMovement[];
    /** Whether `found` is all that Redis has. */
    readonly isWholeList: boolean;
    readonly before: Place | undefined;
    readonly limit: number;
  };

  async function goOn(user: string, { found, isWholeList, before, limit }: Rest): Promise<ListedMovements> {
    try {
      const rest = await older(user, { before, limit: limit - found.length + 1 });
      if (isWholeList && rest.length === 0) withoutMore.add(user);
      const entries = [...found, ...rest];
      return answerOf(entries.slice(0, limit), entries.length > limit);
    } catch (error) {
      // What is recent can be told; the next page begins below it.
      if (error instanceof DatabaseUnavailable && found.length > 0) return answerOf(found, true);
      throw error;
    }
  }

  return async (user, { cursor, limit }) => {
    const [texts, mark] = await replies(redis.pipeline().lrange(movementsKey(user), 0, -1).hget(BELOW_KEY, "movements"));
    const list = (texts as readonly string[]).map((text) => storedSchema.parse(JSON.parse(text)));
    const after = placeOf(cursor);
    const found: readonly StoredMovement[] = after === undefined ? list : behind(list, after);
    if (found.length > limit) return answerOf(found.slice(0, limit), true);
    const isCut = list.length >= USER_MOVEMENTS_MAX;
    if (!isCut && (mark === null || withoutMore.has(user))) return answerOf(found, false);
    const rest = { found, isWholeList: after === undefined, before: found.at(-1) ?? after, limit };
    return isCut && (await isBehind(list)) ? undefined : goOn(user, rest);
  };

  /** Whether the ledger lacks some of what was cut from this list. While it cannot be asked, `goOn` finds out. */
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

/** What stands behind a place in a list, the newest first. One that is not in it any more is a place by its time. */
function behind<Movement extends Place>(list: readonly Movement[], place: Place): readonly Movement[] {
  const at = list.findIndex(({ id }) => id === place.id);
  return at === -1 ? list.filter((movement) => movement.at < place.at) : list.slice(at + 1);
}

function placeOf(cursor: string | undefined): Place | undefined {
  const [, at, id] = HISTORY_CURSOR.exec(cursor ?? "") ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}

function answerOf(movements: readonly (OldMovement & { readonly sequence?: number | undefined })[], hasMore: boolean): ListedMovements {
  const entries = movements.map(({ sequence: _sequence, ...entry }) => entry);
  const last = entries.at(-1);
  return { entries, nextCursor: hasMore && last !== undefined ? `${last.at}_${last.id}` : null };
}
