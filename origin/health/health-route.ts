import type { Context } from "hono";
import type { Redis } from "ioredis";
import { checkPart, healthReport, healthStatusCode, type PartHealth } from "../../shared/health.ts";
import { storeHealth } from "../../shared/store-health.ts";
import type { Database } from "../db/database.ts";
import { scriptRunner } from "../redis/script-runner.ts";

/** Shorter than the edge waits for us, so that the edge learns which part is silent instead of calling the origin silent. */
const PART_TIMEOUT_MS = 600;

type HealthDependencies = {
  readonly venueRedis: Redis;
  readonly database: Database;
  /** Engine and projections, where this process has them. */
  readonly trading?: { readonly health: () => readonly PartHealth[] };
  /** The ledger and what follows it, likewise. */
  readonly record?: { readonly health: () => readonly PartHealth[] };
};

/** `GET /health`: whether this process can reach what it needs, and whether its own parts are well. */
export function healthRoute({ venueRedis, database, trading, record }: HealthDependencies) {
  const venueStore = scriptRunner(venueRedis);
  return async (c: Context): Promise<Response> => {
    const [store, permanent] = await Promise.all([
      checkPart({
        name: "venueStore",
        check: () => storeHealth.run(venueStore, { keys: {}, args: {} }),
        withinMs: PART_TIMEOUT_MS,
        failure: "The venue's Redis does not answer.",
      }),
      checkPart({ name: "database", check: database.ping, withinMs: PART_TIMEOUT_MS, failure: "PostgreSQL does not answer." }),
    ]);
    // With the store away so is what stands on it, which tells nobody anything.
    const ofTrading = store.state === "ok" ? [...(trading?.health() ?? []), ...(record?.health() ?? [])] : [];
    const report = healthReport([{ name: "origin", state: "ok" }, store, permanent, ...ofTrading]);
    return c.json(report, healthStatusCode(report), { "cache-control": "no-store" });
  };
}
