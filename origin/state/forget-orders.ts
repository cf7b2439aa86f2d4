import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { TABLES_KEY } from "../commit/keys.ts";
import { replies } from "../redis/pipeline.ts";
import { type EndedOrders, endedFrom, idsOf } from "./ended-orders.ts";
import { createGuardedWrites } from "./guarded-writes.ts";
import { ENDED_KEY, ENDED_TOTAL_KEY, FORGOTTEN_KEY, ORDERS_BELOW_MEMBER, orderKey, userOrdersKey } from "./keys.ts";
import type { Write } from "./writes.ts";

/**
 * Ended orders leave Redis some minutes after their end, or earlier when there are many: then PostgreSQL serves them. An order is taken out only when
 * PostgreSQL's tables have reached the journal entry in which it ended, so at every moment one of the two has it. While PostgreSQL is
 * unavailable nothing is forgotten. Several processes may do this: each step happens once, as a whole, or not at all.
 */
export type Forgetting = {
  /** How many ended orders Redis held a moment ago. */
  readonly held: () => number;
  readonly stop: () => Promise<void>;
};

/** Long enough that a program that has just seen an order end finds it in Redis. */
const KEPT_MS = 5 * 60_000;
/** About 20 MB. A venue at full speed ends so many in some seconds, which is still longer than a client takes to ask again. */
const KEPT_MAX = 50_000;
/** 40,000 orders a second at most: several times faster than they can end, and Redis is free in between. */
const STEP_EVERY_MS = 5;
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

/** Where a member does not say whose its orders are, they are asked. One that is gone already has no owner and no list. */
async function withOwners(redis: Redis, ofUsers: EndedOrders["ofUsers"]): Promise<EndedOrders["ofUsers"]> {
  const ids = ofUsers.flatMap(([user, ...ofUser]) => (user === "" ? ofUser : []));
  if (ids.length === 0) return ofUsers;
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.hget(orderKey(id), "user");
  const owners = (await replies(pipeline)) as readonly (string | null)[];
  const found = ids.flatMap((id, place) => (owners[place] ? [[owners[place], id] as const] : []));
  return [...ofUsers.filter(([user]) => user !== ""), ...found];
}

export function startForgetting(parts: ForgettingParts): Forgetting {
  const { redis, nowMs, log, isTight = () => false, keptMs = KEPT_MS, keptMax = KEPT_MAX } = parts;
  const writes = createGuardedWrites(parts.writer);
  const stopping = new AbortController();
  let held = 0;
  let hasFailed = false;

  /** False when nothing is due. */
  async function step(): Promise<boolean> {
    const [text, tablesAt, total, forgotten] = (await replies(
      redis.pipeline().lindex(ENDED_KEY, 0).get(TABLES_KEY).get(ENDED_TOTAL_KEY).hget(FORGOTTEN_KEY, "orders"),
    )) as readonly (string | null)[];
    held = Number(total ?? 0) - Number(forgotten ?? 0);
    if (text === null || text === undefined) return false;
    const ended = endedFrom(text);
    const isDue = held > keptMax || isTight() || ended.at + keptMs <= nowMs();
    if (!isDue || ended.sequence > Number(tablesAt ?? 0)) return false;
    const ids = idsOf(ended);
    const commands: Write[] = [
      ["UNLINK", ...ids.map(orderKey)],
      ["LPOP", ENDED_KEY],
    ];
    for (const [user, ...ofUser] of await withOwners(redis, ended.ofUsers)) {
      const key = userOrdersKey(user);
      commands.push(["ZREM", key, ...ofUser], ["ZADD", key, "LT", -Math.max(...ofUser), ORDERS_BELOW_MEMBER]);
    }
    commands.push(["HINCRBY", FORGOTTEN_KEY, "orders", ids.length]);
    // The head of the list changes with this number alone. If another process was first, the next step looks again.
    const isDone = await writes.write({ key: FORGOTTEN_KEY, field: "orders", expected: forgotten ?? "0" }, commands, false);
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
        if (!hasFailed && !stopping.signal.aborted) log.warn({ err: error }, "ended orders were not taken out of Redis");
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
