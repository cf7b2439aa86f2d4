import type { Redis } from "ioredis";
import { DatabaseUnavailable } from "../db/database.ts";
import type { ListRow } from "../engine/changes.ts";
import { listFrom, type ReadFields } from "../journal/row-fields.ts";
import type { History } from "../record/history/history.ts";
import { createUsersWithoutMore } from "../record/history/users-without-more.ts";
import { replies } from "../redis/pipeline.ts";
import { BELOW_KEY, LISTS_KEY, ORDERS_BELOW_MEMBER, PROJECTED_KEY, userListsKey } from "../state/keys.ts";
import type { List, ListOfLists, ListPage } from "./list-port.ts";
import type { OrderStore } from "./order-store.ts";
import type { Order } from "./trading-port.ts";

/**
 * Order lists of a user, which live where their orders do: in Redis while they are active and for some minutes after,
 * then in PostgreSQL, finally in the archive. The owner is checked with every list that is read.
 */
export type ListStore = {
  /** Undefined when this user has no such list. */
  readonly read: (user: string, listId: number) => Promise<List | undefined>;
  /** Whether this list belongs to this user. */
  readonly isOwn: (user: string, listId: number) => Promise<boolean>;
  readonly list: (user: string, page: ListPage) => Promise<ListOfLists>;
};

/** How many lists one page examines: a filter that matches few of them makes short pages, not long waits. */
const LOOKED_AT_MAX = 500;

type StoreParts = { readonly redis: Redis; readonly orders: OrderStore; readonly history: History };
type Looked = { readonly rows: readonly ListRow[]; readonly hasMore: boolean };

export function openListStore({ redis, orders, history }: StoreParts): ListStore {
  const withoutMore = createUsersWithoutMore();

  /** Undefined also for an id that does not exist yet, without a read in PostgreSQL. */
  async function find(listId: number): Promise<ListRow | undefined> {
    const [held, nextOrderId] = (await replies(
      redis.pipeline().hget(LISTS_KEY, String(listId)).hget(PROJECTED_KEY, "next_order_id"),
    )) as readonly (string | null)[];
    if (held !== null && held !== undefined) return rowFrom(held);
    return listId >= Number(nextOrderId ?? 0) ? undefined : history.findList(listId);
  }

  /** The newest first. One more than `count` if there are more. */
  async function listsOf(user: string, { beforeId, count }: Span): Promise<Looked> {
    const held = await heldLists(user, { beforeId, count });
    if (held.isComplete) return { rows: held.rows.slice(0, count), hasMore: held.rows.length > count };
    try {
      const before = beforeId ?? Number.POSITIVE_INFINITY;
      const recorded = await history.listsBefore(user, { beforeId: before, limit: count + 1 });
      const ids = new Set(held.rows.map(({ id }) => id));
      if (beforeId === undefined && recorded.every(({ id }) => ids.has(id))) withoutMore.add(user);
      // PostgreSQL is some seconds behind: where both have a list, Redis has the newer state.
      const all = new Map([...recorded, ...held.rows].map((row) => [row.id, row]));
      const rows = [...all.values()].toSorted((first, second) => second.id - first.id);
      return { rows: rows.slice(0, count), hasMore: rows.length > count };
    } catch (error) {
      // Recent lists are shown; the next page begins below them.
      if (error instanceof DatabaseUnavailable && held.recent.length > 0) return { rows: held.recent, hasMore: true };
      throw error;
    }
  }

  /** Redis' part of a page, and whether no list of the page can be missing from it. Scores are negative ids. */
  async function heldLists(user: string, { beforeId, count }: Span) {
    const key = userListsKey(user);
    const from = beforeId === undefined ? "-inf" : `(${-beforeId}`;
    // One more than requested tells whether there is a next page; another one may be the mark of evicted lists.
    const [members, ofUser, ofAll] = await replies(
      redis
        .pipeline()
        .zrange(key, from, "+inf", "BYSCORE", "LIMIT", 0, count + 2)
        .zscore(key, ORDERS_BELOW_MEMBER)
        .hget(BELOW_KEY, "lists"),
    );
    const below = Math.max(-Number(ofUser ?? 0), withoutMore.has(user) ? 0 : Number(ofAll ?? 0));
    const ids = (members as readonly string[]).filter((member) => member !== ORDERS_BELOW_MEMBER);
    const texts = ids.length === 0 ? [] : await redis.hmget(LISTS_KEY, ...ids);
    const rows = texts.flatMap((text) => (text === null ? [] : [rowFrom(text)]));
    const lowest = rows.length > count ? (rows[count - 1]?.id ?? 0) : 0;
    // A list that was in the index and is gone has just ended and left.
    const isComplete = rows.length === ids.length && (below === 0 || lowest > below);
    return { rows, isComplete, recent: rows.filter(({ id }) => id > below) };
  }

  async function shown(row: ListRow): Promise<List> {
    const found = await Promise.all(orderIdsOf(row).map((id) => orders.find(row.user, id)));
    return listOf(
      row,
      found.filter((order) => order !== undefined),
    );
  }

  return {
    async read(user, listId) {
      const row = await find(listId);
      return row?.user === user ? shown(row) : undefined;
    },
    isOwn: async (user, listId) => (await find(listId))?.user === user,
    async list(user, { status, pair, beforeId, limit }) {
      const isFiltered = pair !== undefined || status !== undefined;
      const looked = await listsOf(user, { beforeId, count: isFiltered ? LOOKED_AT_MAX : limit });
      const fitting = looked.rows.filter(
        (row) => (pair === undefined || row.pair === pair) && (status === undefined || row.status === status),
      );
      const rows = fitting.slice(0, limit);
      const ofPage = await orders.readAll(user, rows.flatMap(orderIdsOf));
      const byId = new Map(ofPage.map((order) => [Number(order.id), order]));
      const lists = rows.map((row) =>
        listOf(
          row,
          orderIdsOf(row).flatMap((id) => byId.get(id) ?? []),
        ),
      );
      const last = fitting.length > limit ? rows.at(-1)?.id : looked.rows.at(-1)?.id;
      const hasMore = (fitting.length > limit || looked.hasMore) && last !== undefined;
      return { lists, nextCursor: hasMore ? String(last) : null };
    },
  };
}

type Span = { readonly beforeId: number | undefined; readonly count: number };

const rowFrom = (text: string): ListRow => listFrom(JSON.parse(text) as ReadFields);

/** Without the places of absent orders. */
const orderIdsOf = ({ orderIds }: ListRow): readonly number[] => orderIds.filter((id) => id !== 0);

export function listOf(row: ListRow, orders: readonly Order[]): List {
  return {
    id: String(row.id),
    type: row.kind,
    clientListId: row.clientListId === "" ? null : row.clientListId,
    pair: row.pair,
    status: row.status,
    orderIds: orderIdsOf(row).map(String),
    orders,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
