import type { Context } from "hono";
import type { Redis } from "ioredis";
import { type Clock, systemClock } from "../../shared/clock.ts";
import {
  checkPart,
  healthReport,
  healthStatusCode,
  type PartHealth,
  withoutDetails,
} from "../../shared/http/health.ts";
import { storeHealth } from "../../shared/store/store-health.ts";
import { askLoadingProgress } from "../../stack/servers/loading-progress.ts";
import type { Database } from "../db/database.ts";
import { scriptRunner } from "../redis/script-runner.ts";

/**
 * Shorter than the edge's time-out, so that the edge learns which part is unavailable instead of reporting the origin.
 */
const PART_TIMEOUT_MS = 600;
/** How long the stores' answers are cached. A failure is checked again sooner, so that recovery is seen early. */
const FRESH_MS = 1_000;
const FAILURE_FRESH_MS = 100;

type HealthDependencies = {
  readonly venueRedis: Redis;
  readonly database: Database;
  /** Engine and projections, where this process has them. */
  readonly trading?: { readonly health: () => readonly PartHealth[] };
  /** The ledger and what follows it, likewise. */
  readonly record?: { readonly health: () => readonly PartHealth[] };
  readonly market?: { readonly health: () => readonly PartHealth[] };
  readonly clock?: Clock;
};

/**
 * `GET /health`: whether this process can reach its stores, and whether its own parts work. It needs no pass, so the
 * stores are asked at most once a second, and requests through the gate, which every visitor can send, see no details.
 */
export function healthRoute({
  venueRedis,
  database,
  trading,
  record,
  market,
  clock = systemClock,
}: HealthDependencies) {
  const venueStore = scriptRunner(venueRedis);
  let loading: string | undefined;
  let isLooking = false;
  let last: { readonly stores: Promise<readonly PartHealth[]>; readonly goodUntilMs: () => number } | undefined;

  /** A loading server is slow to answer: its answer is for the next report. */
  function lookWhetherItLoads(): void {
    if (isLooking) return;
    isLooking = true;
    void askLoadingProgress(venueRedis).then((progress) => {
      loading = progress;
      isLooking = false;
    });
  }

  async function askVenueStore(): Promise<PartHealth> {
    const health = await checkPart({
      name: "venueStore",
      check: () => storeHealth.run(venueStore, { keys: {}, args: {} }),
      withinMs: PART_TIMEOUT_MS,
      failure: "The venue's Redis does not answer.",
    });
    if (health.state === "ok") return health;
    lookWhetherItLoads();
    return loading === undefined ? health : { ...health, detail: `The venue's ${loading}.` };
  }

  function askStores(): Promise<readonly PartHealth[]> {
    return Promise.all([
      askVenueStore(),
      checkPart({
        name: "database",
        check: database.ping,
        withinMs: PART_TIMEOUT_MS,
        failure: "PostgreSQL does not answer.",
      }),
    ]);
  }

  function recentStores(): Promise<readonly PartHealth[]> {
    if (last !== undefined && clock.nowMs() < last.goodUntilMs()) return last.stores;
    const askedAtMs = clock.nowMs();
    let freshMs = FRESH_MS;
    const stores = askStores();
    last = { stores, goodUntilMs: () => askedAtMs + freshMs };
    void stores.then((parts) => {
      if (parts.some(({ state }) => state === "down")) freshMs = FAILURE_FRESH_MS;
    });
    return stores;
  }

  return async (c: Context): Promise<Response> => {
    const stores = await recentStores();
    // When the store is unavailable, so is everything that depends on it, which adds no information.
    const isStoreUp = stores.some(({ name, state }) => name === "venueStore" && state === "ok");
    const parts = [trading, record, market];
    const ofTrading = isStoreUp ? parts.flatMap((part) => part?.health() ?? []) : [];
    const whole = healthReport([{ name: "origin", state: "ok" }, ...stores, ...ofTrading]);
    const report = isForwarded(c) ? withoutDetails(whole) : whole;
    return c.json(report, healthStatusCode(report), { "cache-control": "no-store" });
  };
}

/** The edge sets this header on every request of a visitor, and on none of its own. */
function isForwarded(c: Context): boolean {
  return c.req.header("x-forwarded-host") !== undefined;
}
