import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Committed } from "../journal/journal-feed.ts";
import { acquireLease, keepLease, type Lease } from "../journal/lease.ts";
import { replies } from "../redis/pipeline.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { orderOf } from "../trading/views.ts";
import type { LiveMemory } from "./feed/live-memory.ts";
import { liveSummary } from "./feed/summary-channel.ts";
import { MARKET_UPDATES_CHANNEL, ORDER_UPDATES_PREFIX, PUBLISHER_KEY, SYSTEM_NOTIFICATIONS_CHANNEL } from "./keys.ts";

/**
 * Publishes changes on Redis channels for other programs of the operator: `market:updates`, `order:updates:<user>` and
 * `system:notifications`. One process publishes, by a lease, and only to channels with a subscriber. Nothing of the venue
 * depends on it; a message that is lost is not sent again.
 */
export type UpdatePublisher = {
  readonly note: (committed: Committed, memory: LiveMemory) => void;
  readonly stop: () => Promise<void>;
};

type PublisherParts = {
  readonly redis: Redis;
  readonly owner: string;
  readonly maintenance: () => { readonly message: string } | undefined;
  readonly log: Logger;
};

const LOOK_EVERY_MS = 1_000;
const PUBLISH_EVERY_MS = 100;
/** Messages that wait for one write; beyond this they are dropped. */
const WAITING_MAX = 10_000;

type Listeners = { readonly hasMarket: boolean; readonly hasPatterns: boolean; readonly users: ReadonlySet<string> };
const NONE: Listeners = { hasMarket: false, hasPatterns: false, users: new Set() };

export function createUpdatePublisher({ redis, owner, maintenance, log }: PublisherParts): UpdatePublisher {
  const runner = scriptRunner(redis);
  let listeners = NONE;
  let lease: Lease | undefined;
  let latest: LiveMemory | undefined;
  let wasUnderWork = maintenance() !== undefined;
  let waiting: (readonly [channel: string, message: string])[] = [];
  const changedPairs = new Set<string>();

  const add = (channel: string, message: object) => {
    if (waiting.length < WAITING_MAX) waiting.push([channel, JSON.stringify(message)]);
  };

  async function look(): Promise<void> {
    const [market, patterns, channels] = await replies(
      redis
        .pipeline()
        .pubsub("NUMSUB", MARKET_UPDATES_CHANNEL)
        .pubsub("NUMPAT")
        .pubsub("CHANNELS", `${ORDER_UPDATES_PREFIX}*`),
    );
    listeners = {
      hasMarket: Number((market as readonly unknown[])[1]) > 0,
      hasPatterns: Number(patterns) > 0,
      users: new Set((channels as readonly string[]).map((channel) => channel.slice(ORDER_UPDATES_PREFIX.length))),
    };
    await lead();
    tellOfWork();
  }

  /** Another process may publish: this one asks again with the next look. */
  async function lead(): Promise<void> {
    if (lease?.isLost() === true) {
      lease.letGo();
      lease = undefined;
    }
    const epoch = lease === undefined ? await acquireLease(runner, owner, { key: PUBLISHER_KEY }) : undefined;
    if (epoch !== undefined) lease = keepLease(runner, epoch, log, { key: PUBLISHER_KEY });
  }

  function tellOfWork(): void {
    const underWork = maintenance();
    if ((underWork !== undefined) === wasUnderWork) return;
    wasUnderWork = underWork !== undefined;
    const message = wasUnderWork ? underWork?.message || "Maintenance has begun." : "Maintenance is over.";
    if (lease !== undefined)
      add(SYSTEM_NOTIFICATIONS_CHANNEL, {
        type: "system_notification",
        level: wasUnderWork ? "warning" : "info",
        message,
      });
  }

  async function publish(): Promise<void> {
    const memory = latest;
    if (memory !== undefined && (listeners.hasMarket || listeners.hasPatterns))
      for (const pair of changedPairs)
        add(MARKET_UPDATES_CHANNEL, { type: "market_update", pair, data: liveSummary(pair, memory) });
    changedPairs.clear();
    if (waiting.length === 0) return;
    const pipeline = redis.pipeline();
    for (const [channel, message] of waiting) pipeline.publish(channel, message);
    waiting = [];
    await replies(pipeline);
  }

  const timers = [
    setInterval(() => void look().catch(() => {}), LOOK_EVERY_MS),
    setInterval(() => void publish().catch(() => {}), PUBLISH_EVERY_MS),
  ];
  for (const timer of timers) timer.unref();
  return {
    note({ changes }, memory) {
      const isHeard = listeners.hasMarket || listeners.hasPatterns || listeners.users.size > 0;
      if (lease === undefined || !isHeard) return;
      latest = memory;
      for (const order of changes.orders) {
        changedPairs.add(order.pair);
        if (!listeners.hasPatterns && !listeners.users.has(order.user)) continue;
        const data = orderOf(order, memory.grids.of(order.pair, order.grid));
        add(`${ORDER_UPDATES_PREFIX}${order.user}`, { type: "order_update", order_id: String(order.id), data });
      }
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await lease?.giveBack().catch(() => {});
    },
  };
}
