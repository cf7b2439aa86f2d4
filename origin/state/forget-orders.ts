import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { TABLES_KEY } from "../journal/keys.ts";
import { replies } from "../redis/pipeline.ts";
import { type EndedOrders, endedFrom, idsOf, ordersAndLists } from "./ended-orders.ts";
import {
  ENDED_KEY,
  ENDED_TOTAL_KEY,
  FORGOTTEN_KEY,
  LISTS_KEY,
  ORDERS_BELOW_MEMBER,
  orderKey,
  userListsKey,
  userOrdersKey,
} from "./keys.ts";
import { createGuardedWrites, type Write } from "./writes.ts";

/**
 * Ended orders and order lists leave Redis some minutes after their end, or earlier when there are many: then PostgreSQL serves them.
 * One is taken out only when PostgreSQL's tables have reached the journal entry in which it ended, so at every
 * moment one of the two has it. While PostgreSQL is unavailable nothing is forgotten. Several processes may do this:
 * each step happens once, as a whole, or not at all.
 */
export type Forgetting = {
  /** How many ended orders and order lists Redis held at the last look. */
  readonly held: () => number;
  readonly stop: () => Promise<void>;
};

/** Long enough that a program that has just seen an order end finds it in Redis. */
const KEPT_MS = 5 * 60_000;
/**
 * About 20 MB. At full speed so many orders end in some seconds, which is still longer than a client takes to ask
 * again.
 */
const KEPT_MAX = 50_000;
/** 40,000 orders a second at most: several times faster than they can end, and Redis is free in between. */
const STEP_EVERY_MS = 5;
/**
 * A member can hold one order or 200: a step takes as many members as make about 200 orders, or it would fall behind
 * small ones.
 */
const STEP_MEMBERS_MAX = 200;
const STEP_ORDERS_MAX = 200;
const LOOK_EVERY_MS = 500;

type ForgettingParts = {
  readonly redis: Redis;
  /** Carries these transactions and nothing else. */
  readonly writer: Redis;
  readonly nowMs: () => number;
  readonly log: Logger;
  /** Whether Redis is short of memory: then an order leaves as soon as PostgreSQL has it. */
  readonly isTight?: () => boolean;
  readonly keptMs?: number;
  readonly keptMax?: number;
};

/** Where a member has no user, the orders are read. One that is gone already has no owner and no list. */
async function withOwners(redis: Redis, ofUsers: EndedOrders["ofUsers"]): Promise<EndedOrders["ofUsers"]> {
  const ids = ofUsers.flatMap(([user, ...ofUser]) => (user === "" ? ofUser : []));
  if (ids.length === 0) return ofUsers;
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hget(orderKey(id), "user");
  const owners = (await replies(pipeline)) as readonly (string | null)[];
  const found = ids.flatMap((id, place) => (owners[place] ? [[owners[place], id] as const] : []));
  return [...ofUsers.filter(([user]) => user !== ""), ...found];
}

function mergedByUser(ofUsers: EndedOrders["ofUsers"]): Map<string, number[]> {
  const merged = new Map<string, number[]>();
  for (const [user, ...ids] of ofUsers) {
    const known = merged.get(user);
    if (known === undefined) merged.set(user, ids);
    else known.push(...ids);
  }
  return merged;
}

function leaveIndex(key: string, ids: readonly number[]): readonly Write[] {
  if (ids.length === 0) return [];
  return [
    ["ZREM", key, ...ids],
    ["ZADD", key, "LT", -Math.max(...ids), ORDERS_BELOW_MEMBER],
  ];
}

export function startForgetting(parts: ForgettingParts): Forgetting {
  const { redis, nowMs, log, isTight = () => false, keptMs = KEPT_MS, keptMax = KEPT_MAX } = parts;
  const writes = createGuardedWrites(parts.writer);
  const stopping = new AbortController();
  let held = 0;
  let hasFailed = false;

  /** The members at the head of the list that may be forgotten now. */
  function dueOf(texts: readonly string[], tablesAt: number): EndedOrders[] {
    const due: EndedOrders[] = [];
    let orders = 0;
    for (const text of texts) {
      const ended = endedFrom(text);
      const isDue = held - orders > keptMax || isTight() || ended.at + keptMs <= nowMs();
      if (!isDue || ended.sequence > tablesAt) break;
      orders += idsOf(ended).length;
      if (due.length > 0 && orders > STEP_ORDERS_MAX) break;
      due.push(ended);
    }
    return due;
  }

  /** False when nothing is due. */
  async function step(): Promise<boolean> {
    const [texts, tablesAt, total, forgotten] = (await replies(
      redis
        .pipeline()
        .lrange(ENDED_KEY, 0, STEP_MEMBERS_MAX - 1)
        .get(TABLES_KEY)
        .get(ENDED_TOTAL_KEY)
        .hget(FORGOTTEN_KEY, "orders"),
    )) as readonly [readonly string[], ...(string | null)[]];
    held = Number(total ?? 0) - Number(forgotten ?? 0);
    const due = dueOf(texts, Number(tablesAt ?? 0));
    if (due.length === 0) return false;
    const ids = due.flatMap(idsOf);
    const { orders, lists } = ordersAndLists(ids);
    const commands: Write[] = [["LPOP", ENDED_KEY, due.length]];
    if (orders.length > 0) commands.push(["UNLINK", ...orders.map(orderKey)]);
    if (lists.length > 0) commands.push(["HDEL", LISTS_KEY, ...lists]);
    const ofUsers = mergedByUser(
      await withOwners(
        redis,
        due.flatMap((ended) => ended.ofUsers),
      ),
    );
    for (const [user, ofUser] of ofUsers) {
      const left = ordersAndLists(ofUser);
      commands.push(...leaveIndex(userOrdersKey(user), left.orders), ...leaveIndex(userListsKey(user), left.lists));
    }
    commands.push(["HINCRBY", FORGOTTEN_KEY, "orders", ids.length]);
    // The head of the list changes only together with this number. If another process was first, the next step looks
    // again.
    const isDone = await writes.write(
      { key: FORGOTTEN_KEY, field: "orders", expected: forgotten ?? "0" },
      commands,
      false,
    );
    if (isDone) held -= ids.length;
    return true;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      let pauseMs = LOOK_EVERY_MS;
      try {
        if (await step()) pauseMs = STEP_EVERY_MS;
        hasFailed = false;
      } catch (error) {
        if (!hasFailed && !stopping.signal.aborted)
          log.warn({ err: error }, "ended orders were not taken out of Redis");
        hasFailed = true;
      }
      await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  const running = run();
  return {
    held: () => held,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
