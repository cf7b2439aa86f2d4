import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { LocalCluster } from "../../deploy/cluster/start-cluster.ts";
import { queueKeys } from "../../edge/queue/keys.ts";

/** Whose turn came between which looks, asked of whichever node serves the line: people walk in some time after their turn. */
export type TurnWatch = {
  /** After the one moment, and by the other; undefined for a ticket whose turn was not seen. */
  readonly spanOf: (ticketId: string) => TurnSpan | undefined;
  /** What a dead master has said and nobody was told did not happen: only the turns of these stand. */
  readonly keepOnly: (ticketIds: ReadonlySet<string>) => void;
  readonly stop: () => Promise<void>;
};

export type TurnSpan = { readonly afterMs: number; readonly byMs: number };

const LOOK_EVERY_MS = 10;
const LOOK_MS_MAX = 500;
/** While nobody serves the line. */
const FIND_EVERY_MS = 100;

export function watchTurns(cluster: LocalCluster, queueId: string): TurnWatch {
  const { active, meta } = queueKeys(queueId);
  const spans = new Map<string, TurnSpan>();
  const over = new AbortController();
  let lastLookMs = 0;

  async function look(redis: Redis): Promise<void> {
    const askedMs = performance.now();
    const ids = await redis.zrange(active, "0", "-1");
    for (const id of ids) if (!spans.has(id)) spans.set(id, { afterMs: lastLookMs, byMs: performance.now() });
    lastLookMs = askedMs;
  }

  /** One that dies or is no longer the master is left for the one that is. */
  async function followMaster(): Promise<void> {
    const { master } = await cluster.serving(meta);
    const redis = new Redis(master.url, {
      commandTimeout: LOOK_MS_MAX,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      lazyConnect: true,
    });
    redis.on("error", () => {});
    try {
      await redis.connect();
      while (!over.signal.aborted) {
        await look(redis);
        await sleep(LOOK_EVERY_MS);
      }
    } finally {
      redis.disconnect();
    }
  }

  const watching = (async () => {
    while (!over.signal.aborted) {
      await followMaster().catch(() => {});
      await sleep(FIND_EVERY_MS);
    }
  })();
  return {
    spanOf: (ticketId) => spans.get(ticketId),
    keepOnly(ticketIds) {
      for (const id of spans.keys()) if (!ticketIds.has(id)) spans.delete(id);
    },
    async stop() {
      over.abort();
      await watching;
    },
  };
}
