import type { Redis } from "ioredis";
import { fail, ok, type Result } from "../../shared/result.ts";

import type { Changes, CurrencyRow, OrderRow, PairRow } from "../engine/changes.ts";
import { HOUR_MS, type NameCount } from "../engine/names/references.ts";
import { isLive } from "../engine/terms.ts";
import { stepsOf } from "../instruments/amounts.ts";

import { createGrids, type Grids } from "../instruments/grids.ts";
import { faultOfNext, type JournalPosition, readJournal } from "../journal/journal.ts";
import { changesFrom } from "../journal/journal-body.ts";
import { currencyFrom, listFrom, pairFrom, type ReadFields } from "../journal/row-fields.ts";
import { replies } from "../redis/pipeline.ts";
import {
  bookKey,
  CURRENCIES_KEY,
  LISTS_KEY,
  namedKey,
  orderKey,
  PAIRS_KEY,
  PROJECTED_KEY,
  USERS_KEY,
  WALLETS_KEY,
} from "./keys.ts";
import { countNamed, createLatestRows, type LatestRows } from "./latest-rows.ts";
import { type OrderHash, restingOrder } from "./order-writes.ts";
import { readWallets } from "./read-wallets.ts";

/**
 * The projected state, for an engine to start from, exactly as it was at one position of the journal. The projection
 * continues meanwhile, so a row may be from any moment between the first and the last look; the journal entries between
 * the two, absorbed afterwards, bring every row to the last look. Names are not read: they are fetched when a command
 * has one. So a start depends on open orders, wallets, users and pairs, and on the users of the last 24 hours who named
 * commands; not on how much they did.
 */
export type LoadedState = {
  readonly position: JournalPosition;
  readonly changes: Changes;
  readonly nameCounts: readonly NameCount[];
};

const PAGE = 500;
/** Hours whose names can still count. */
const NAMED_HOURS = 25;

/** The progress, such as "wallets, 120,000 of about 2,000,000". */
export type OnProgress = (progress: string) => void;

type LoadOptions = {
  readonly onProgress?: OnProgress;
  /** An audit pauses between pages; an engine that starts does not. */
  readonly pause?: () => Promise<void>;
};

export async function loadState(redis: Redis, options: LoadOptions = {}): Promise<Result<LoadedState, string>> {
  const { onProgress = () => {}, pause = async () => {} } = options;
  const before = await readPosition(redis);
  const rows = createLatestRows();
  Object.assign(rows.clock, before.clock);
  const grids = createGrids();
  const pairs = await readTerms(redis, grids, rows);
  for (const { pair } of pairs) {
    const tell = progressOf(onProgress, { what: `open orders of ${pair}`, total: await redis.hlen(bookKey(pair)) });
    for await (const order of readBook(redis, pair, grids)) {
      rows.orders.set(order.id, order);
      tell(1);
      if (rows.orders.size % PAGE === 0) await pause();
    }
  }
  await loadLists(redis, rows);
  const tellUsers = progressOf(onProgress, { what: "users", total: await redis.hlen(USERS_KEY) });
  for await (const count of loadUsers(redis, rows)) {
    tellUsers(count);
    await pause();
  }
  const tellWallets = progressOf(onProgress, { what: "wallets", total: await redis.scard(WALLETS_KEY) });
  for await (const { user, wallet } of readWallets(redis)) {
    rows.balances.set(user, balancesOf(user, wallet, grids));
    tellWallets(1);
    if (rows.balances.size % PAGE === 0) await pause();
  }
  await loadNameCounts(redis, rows, onProgress);
  const after = await readPosition(redis);
  const faults = await catchUp(redis, rows, { from: before.position, to: after.position.sequence, onProgress });
  return faults ?? ok({ position: after.position, changes: toChanges(rows), nameCounts: nameCountsOf(rows) });
}

/** Reported once per page: a line per row would be slow. Rows added since the count make it "about". */
function progressOf(
  onProgress: OnProgress,
  { what, total }: { readonly what: string; readonly total: number },
): (count: number) => void {
  let done = 0;
  let toldAt = 0;
  return (count) => {
    done += count;
    if (done - toldAt < PAGE && done < total) return;
    toldAt = done;
    onProgress(`${what}, ${done.toLocaleString("en")} of about ${total.toLocaleString("en")}`);
  };
}

type Clock = LatestRows["clock"];

export async function readPosition(
  redis: Redis,
): Promise<{ readonly position: JournalPosition; readonly clock: Clock }> {
  const fields = await redis.hgetall(PROJECTED_KEY);
  const number = (name: string) => Number(fields[name] ?? 0);
  return {
    position: { sequence: number("sequence"), hash: fields["hash"] ?? "", command: fields["command"] ?? "" },
    clock: { at: number("at"), nextOrderId: number("next_order_id"), nextTradeId: number("next_trade_id") },
  };
}

/** Reads the projected currencies and pairs, and adds them to the grids. */
export async function readTerms(redis: Redis, grids: Grids, rows?: LatestRows): Promise<readonly PairRow[]> {
  const currencies: CurrencyRow[] = Object.values(await redis.hgetall(CURRENCIES_KEY)).map((text) =>
    currencyFrom(JSON.parse(text)),
  );
  const pairs: PairRow[] = Object.values(await redis.hgetall(PAIRS_KEY)).map((text) => pairFrom(JSON.parse(text)));
  grids.learn({ currencies, pairs });
  for (const row of currencies) rows?.currencies.set(row.currency, row);
  rows?.pairs.push(...pairs);
  return pairs;
}

/** A page at a time, with its length. */
async function* loadUsers(redis: Redis, rows: LatestRows): AsyncGenerator<number> {
  let cursor = "0";
  do {
    const [next, flat] = await redis.hscan(USERS_KEY, cursor, "COUNT", PAGE);
    cursor = next;
    for (let at = 0; at < flat.length; at += 2) {
      const user = flat[at] ?? "";
      const [frozen, cancelAt] = (flat[at + 1] ?? "").split(",");
      const row = { user, isFrozen: frozen === "1" };
      rows.users.set(user, cancelAt === undefined ? row : { ...row, cancelAt: Number(cancelAt) });
    }
    yield flat.length / 2;
  } while (cursor !== "0");
}

async function loadLists(redis: Redis, { lists }: LatestRows): Promise<void> {
  let cursor = "0";
  do {
    const [next, flat] = await redis.hscan(LISTS_KEY, cursor, "COUNT", PAGE);
    cursor = next;
    for (let at = 1; at < flat.length; at += 2) {
      const list = listFrom(JSON.parse(flat[at] ?? "") as ReadFields);
      lists.set(list.id, list);
    }
  } while (cursor !== "0");
}

function balancesOf(user: string, wallet: Record<string, string>, grids: Grids) {
  const balances = Object.entries(wallet).map(([currency, text]) => {
    const [available = "", frozen = ""] = text.split(",");
    const scale = grids.scaleOf(currency);
    return [
      currency,
      { user, currency, available: stepsOf(available, scale), frozen: stepsOf(frozen, scale) },
    ] as const;
  });
  return new Map(balances);
}

async function loadNameCounts(redis: Redis, { clock, named }: LatestRows, onProgress: OnProgress): Promise<void> {
  const last = Math.floor(clock.at / HOUR_MS);
  for (let hour = last - NAMED_HOURS; hour <= last; hour++) {
    const tell = progressOf(onProgress, {
      what: `users who named commands in hour ${hour}`,
      total: await redis.hlen(namedKey(hour)),
    });
    let cursor = "0";
    do {
      const [next, flat] = await redis.hscan(namedKey(hour), cursor, "COUNT", PAGE);
      cursor = next;
      for (let at = 0; at < flat.length; at += 2)
        countNamed(named, { user: flat[at] ?? "", hour, number: Number(flat[at + 1]) });
      tell(flat.length / 2);
    } while (cursor !== "0");
  }
}

function nameCountsOf({ named }: LatestRows): readonly NameCount[] {
  return [...named].flatMap(([hour, users]) => [...users].map(([user, number]) => ({ user, hour, number })));
}

async function catchUp(
  redis: Redis,
  rows: LatestRows,
  span: { from: JournalPosition; to: number; onProgress: OnProgress },
) {
  let before = span.from;
  while (before.sequence < span.to) {
    const entries = await readJournal(redis, before.sequence, Math.min(PAGE, span.to - before.sequence));
    if (entries.length === 0)
      return fail(`the journal has no entry ${before.sequence + 1}, which the projection has read`);
    for (const entry of entries) {
      const fault = faultOfNext(before, entry);
      if (fault !== undefined) return fail(fault);
      rows.absorb(changesFrom(entry.body));
      before = entry;
    }
    span.onProgress(`the journal, entry ${before.sequence} of ${span.to}`);
  }
  return undefined;
}

/** An engine needs no ended orders; the others are sorted by their priority. */
export function toChanges(rows: LatestRows): Changes {
  const lists = [...rows.lists.values()].filter(({ status }) => status === "active");
  return {
    ...rows.clock,
    orders: [...rows.orders.values()]
      .filter(({ status }) => isLive(status))
      .sort((first, second) => priorityOf(first) - priorityOf(second)),
    ...(lists.length === 0 ? {} : { lists }),
    trades: [],
    balances: [...rows.balances.values()].flatMap((ofUser) => [...ofUser.values()]),
    movements: [],
    currencies: [...rows.currencies.values()],
    pairs: [...new Map(rows.pairs.map((pair) => [pair.pair, pair])).values()],
    users: [...rows.users.values()],
    references: [...rows.references.values()].sort((first, second) => first.at - second.at),
  };
}

/** Its place among the orders of its price. */
const priorityOf = ({ id, conditions }: OrderRow) => conditions?.priority || id;

/**
 * The open orders of a pair as they are projected, a page at a time. An order that ends meanwhile comes as ended, or
 * not at all.
 */
export async function* readBook(redis: Redis, pair: string, grids: Grids): AsyncGenerator<OrderRow> {
  let cursor = "0";
  do {
    const [next, flat] = await redis.hscan(bookKey(pair), cursor, "COUNT", PAGE);
    cursor = next;
    const pipeline = redis.pipeline();
    for (let at = 0; at < flat.length; at += 2) pipeline.hgetall(orderKey(Number(flat[at])));
    for (const stored of await replies(pipeline)) {
      const order = restingOrder(stored as OrderHash, grids);
      if (order !== undefined) yield order;
    }
  } while (cursor !== "0");
}
