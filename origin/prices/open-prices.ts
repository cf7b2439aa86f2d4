import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../../shared/clock.ts";
import type { Seal } from "../accounts/api-keys/seal.ts";
import type { Hide } from "../accounts/identity/secrets.ts";
import type { ReadSession } from "../accounts/identity/session-reader.ts";
import type { VenueOperation } from "../api/operation.ts";
import type { Database } from "../db/database.ts";
import { createChartDrawer } from "../market/charts/draw-charts.ts";
import { itemOperations } from "./api/item-operations.ts";
import { priceChartOperation } from "./api/price-chart-operation.ts";
import { priceOperations } from "./api/price-operations.ts";
import { createPriceReads, type PriceReads } from "./api/price-reads.ts";
import { providerOperations } from "./api/provider-operations.ts";
import { scheduleOperations } from "./api/schedule-operations.ts";
import { keepBoard } from "./board/keep-board.ts";
import { openKnownBoard } from "./board/known-board.ts";
import { createPublish } from "./board/publish-board.ts";
import { createDryRun } from "./fetch/dry-run.ts";
import { readPriceSettings } from "./fetch/fetch-queries.ts";
import { type FetchingState, keepFetching } from "./fetch/keep-fetching.ts";
import { seedPrices } from "./fetch/seed.ts";
import { fillDemo } from "./history/fill-demo.ts";
import { keepHistory } from "./history/keep-history.ts";
import { createItemAdmin } from "./items/item-admin.ts";
import { createFetchQuotes } from "./providers/fetch-quotes.ts";
import { createProviderAdmin } from "./providers/provider-admin.ts";
import { lockProvider } from "./providers/provider-queries.ts";
import { createSecretsOf } from "./providers/provider-secrets.ts";
import { createSendRequest } from "./providers/request-provider.ts";
import { openQuota } from "./quota/quota.ts";

/**
 * Tracked prices: items and providers are data, a worker fetches by the clock in Tehran, and every process serves the
 * board from memory. A provider, Redis or PostgreSQL that is unavailable leaves the last known prices, marked stale.
 */
export type PricesApi = {
  readonly operations: readonly VenueOperation[];
  readonly reads: PriceReads;
  /** Brings provider secrets to the active seal key. */
  readonly reseal: () => Promise<void>;
  readonly stop: () => void;
};

type Shared = {
  readonly database: Database;
  readonly redis: Redis;
  readonly seal: Seal;
  /** Hosts of private networks that provider URLs may name. */
  readonly privateHosts: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
};

type ApiParts = Shared & { readonly readSession: ReadSession; readonly hide: Hide };

/** The routes, in a process that serves the API. */
export function openPricesApi(parts: ApiParts): PricesApi {
  const { database, redis, seal, readSession, hide, clock, log } = parts;
  const board = openKnownBoard({ redis, clock, log });
  const quota = openQuota(redis);
  const publish = publishQuietly(parts);
  const items = createItemAdmin({
    database,
    hasProvider: async (tx, provider) => (await lockProvider.first(tx, { provider })) !== undefined,
    publish,
  });
  const providers = createProviderAdmin({ database, seal, clock, publish });
  const dryRun = createDryRun({ ...sources(parts), database, clock });
  const drawer = createChartDrawer();
  const reads = createPriceReads({ database, board, quota, readSession, hide, clock, log });
  return {
    operations: [
      ...priceOperations(reads),
      priceChartOperation(reads, drawer),
      ...itemOperations(items),
      ...providerOperations({ providers, dryRun }),
      ...scheduleOperations({ database, quota, clock }),
    ],
    reads,
    reseal: providers.reseal,
    stop: () => {
      board.stop();
      void drawer.stop();
    },
  };
}

export type PriceWorker = {
  readonly state: () => FetchingState;
  readonly stop: () => Promise<void>;
};

type WorkerParts = Shared & { readonly withDemo: boolean };

/** Fetching, history and the board, in a worker process. Any number of processes may do this. */
export function openPriceWorker(parts: WorkerParts): PriceWorker {
  const { database, redis, clock, log } = parts;
  const publish = createPublish({ database, redis, nowMs: clock.nowMs });
  // The past comes first: the first price is compared with it.
  const begun = begin(parts).catch((error: unknown) => log.warn({ err: error }, "the first items were not inserted"));
  const fetching = keepFetching({ ...sources(parts), database, publish, clock, log, after: begun });
  const history = keepHistory({ database, clock, log });
  const board = keepBoard({ database, redis, publish, log });
  return {
    state: fetching.state,
    stop: async () => {
      board.stop();
      await fetching.stop();
      await history.stop();
    },
  };
}

/** The first items, and a past for the demo's items that have none. */
async function begin({ database, withDemo, clock, log }: WorkerParts): Promise<void> {
  const nowMs = clock.nowMs();
  await seedPrices(database, { nowMs, withDemo });
  if (!withDemo) return;
  const { schedule } = await readPriceSettings(database);
  await fillDemo({ database, schedule, nowMs, log });
}

function sources({ redis, seal, privateHosts }: Shared) {
  return {
    fetchQuotes: createFetchQuotes({ send: createSendRequest({ privateHosts }), redis, sleep: (ms) => sleep(ms) }),
    secretsOf: createSecretsOf(seal),
  };
}

/** An admin's change is in the record; a board that could not be published is published by a worker a moment later. */
function publishQuietly({ database, redis, clock, log }: Shared): () => Promise<void> {
  const publish = createPublish({ database, redis, nowMs: clock.nowMs });
  return async () => {
    try {
      await publish();
    } catch (error) {
      log.warn({ err: error }, "the board could not be published");
    }
  };
}
