import { statfs } from "node:fs/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { type Metric, metricsText } from "../../shared/http/exposition.ts";
import { createSlowCommands } from "./slow-commands.ts";
import { readStore, type StoreFacts } from "./store-facts.ts";

/**
 * Metrics of the venue's Redis, the leader's epoch, the lag of readers and the disk of the data folder. They are read
 * every few seconds in the background, so a scrape waits for nothing and many scrapes cost nothing. When Redis is
 * unavailable, `redis_up` is 0 and there are no other figures of it.
 */
export type WatchedVenue = {
  /** Prometheus text. */
  readonly metrics: () => string;
  readonly stop: () => void;
};

type WatchParts = { readonly redis: Redis; readonly folder: string; readonly log: Logger };

type Disk = { readonly freeBytes: number; readonly bytes: number };

const LOOK_EVERY_MS = 2_000;

export function watchVenue({ redis, folder, log }: WatchParts): WatchedVenue {
  const slowCommands = createSlowCommands(redis);
  let store: StoreFacts | undefined;
  let disk: Disk | undefined;
  let lastTrouble = "";

  async function lookAtStore(): Promise<void> {
    try {
      store = await readStore(redis);
      await slowCommands.look();
    } catch {
      // Health and the connection's log show why.
      store = undefined;
    }
  }

  async function lookAtDisk(): Promise<void> {
    try {
      const { bsize, bavail, blocks } = await statfs(folder);
      disk = { freeBytes: bsize * bavail, bytes: bsize * blocks };
      lastTrouble = "";
    } catch (error) {
      if (String(error) !== lastTrouble) log.warn({ err: error }, "the free space of the data folder cannot be read");
      lastTrouble = String(error);
      disk = undefined;
    }
  }

  async function look(): Promise<void> {
    await Promise.all([lookAtStore(), lookAtDisk()]);
    timer.refresh();
  }

  const timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  timer.unref();
  void look();
  return {
    metrics: () => metricsText("sluice_venue_", [...storeMetrics(store), slowCommands.metric(), ...diskMetrics(disk)]),
    stop: () => clearTimeout(timer),
  };
}

function storeMetrics(store: StoreFacts | undefined): readonly Metric[] {
  return [
    {
      name: "redis_up",
      kind: "gauge",
      help: "1 if the venue's Redis answered the last check.",
      value: store === undefined ? 0 : 1,
    },
    { name: "redis_clients", kind: "gauge", help: "Connections to the venue's Redis.", value: store?.clients },
    {
      name: "redis_clients_limit",
      kind: "gauge",
      help: "The most connections that it accepts.",
      value: store?.clientsMax,
    },
    { name: "leader_epoch", kind: "gauge", help: "Grows by one with each new leader.", value: store?.epoch },
    {
      name: "projection_lag_entries",
      kind: "gauge",
      help: "Committed entries that readers do not see yet.",
      value: store?.lag,
    },
    {
      name: "journal_entries_total",
      kind: "counter",
      help: "Batches committed since the venue began.",
      value: store?.committed,
    },
    { name: "orders_total", kind: "counter", help: "Orders accepted since the venue began.", value: store?.orders },
    { name: "trades_total", kind: "counter", help: "Trades since the venue began.", value: store?.trades },
  ];
}

function diskMetrics(disk: Disk | undefined): readonly Metric[] {
  return [
    {
      name: "disk_free_bytes",
      kind: "gauge",
      help: "Free space of the disk under the data folder.",
      value: disk?.freeBytes,
    },
    { name: "disk_bytes", kind: "gauge", help: "Size of that disk.", value: disk?.bytes },
  ];
}
