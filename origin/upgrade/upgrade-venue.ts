import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { type Database, DatabaseUnavailable } from "../db/database.ts";
import { appliedSteps, type Migration, migrate } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { FENCE_KEY } from "../journal/keys.ts";
import { acquireLease, keepLease, type Lease } from "../journal/lease.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { isStoreUnavailable } from "../redis/store-unavailable.ts";
import { foreignLayout, LAYOUT, readLayout } from "../state/layout.ts";
import { UPGRADING_KEY } from "./keys.ts";
import { runSteps, UpgradeLost } from "./run-steps.ts";
import type { UpgradeStep } from "./steps.ts";
import { backUpBeforeUpgrade } from "./upgrade-backups.ts";

/**
 * Brings both stores to the version of this program before anything else of the process starts. Promises: stores of a
 * later program, or stores on which another engine still leads, are refused and not changed; a backup of both is
 * complete before the first change; one process upgrades, under the engine's own lease, so no engine commits meanwhile;
 * the next start finishes an interrupted upgrade. While a store is unavailable, it waits and reports that.
 */
type UpgradeParts = {
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly database: Database;
  readonly dataFolder: string;
  /** False if the operator has made a backup. */
  readonly withBackup: boolean;
  /** Unique to this process and start. */
  readonly owner: string;
  readonly nowMs: () => number;
  /** Reports the reason for waiting, and the part, to `/health`. */
  readonly tell: (sentence: string, part?: "venueStore" | "database") => void;
  readonly log: Logger;
  readonly migrations?: readonly Migration[];
  readonly steps?: readonly UpgradeStep[];
};

const LOOK_AGAIN_MS = 250;
const TELL_EVERY_MS = 5_000;
/** Several lease times: a killed engine does not lead for longer. */
const ENGINE_GONE_MS_MAX = 5_000;
/** Marks the owner of a lease that was taken for an upgrade. */
const OWNER_PREFIX = "upgrade.";

type Found = { readonly layout: number | undefined; readonly applied: number; readonly isCurrent: boolean };

export async function upgradeVenue(parts: UpgradeParts): Promise<void> {
  const { redis, database, tell, log } = parts;
  const steps = parts.migrations ?? migrations;
  const runner = scriptRunner(redis);
  let engineSinceMs: number | undefined;

  /** Changes nothing. */
  async function look(): Promise<Found> {
    const found = await readLayout(redis);
    const foreign = foreignLayout(found);
    if (foreign !== undefined) throw new Error(foreign);
    const applied = await appliedSteps(database, steps);
    const layout = found.kind === "layout" ? found.layout : undefined;
    // New tables have no data to protect: they are created at once.
    const areTablesCurrent = applied === 0 || applied === steps.length;
    return { layout, applied, isCurrent: areTablesCurrent && (layout === undefined || layout === LAYOUT) };
  }

  /** Undefined while another process leads; throws if that is an engine that does not stop. */
  async function takeLease(): Promise<Lease | undefined> {
    const epoch = await acquireLease(runner, `${OWNER_PREFIX}${parts.owner}`);
    if (epoch !== undefined) return keepLease(runner, epoch, log);
    const owner = (await redis.hget(FENCE_KEY, "owner")) ?? "";
    if (owner.startsWith(OWNER_PREFIX)) {
      engineSinceMs = undefined;
      tell("Another process is upgrading the venue's stores; this one starts when that is done.");
      return undefined;
    }
    engineSinceMs ??= performance.now();
    if (performance.now() - engineSinceMs > ENGINE_GONE_MS_MAX) {
      throw new Error(
        "An engine of an earlier version is trading on these stores: stop every process of that version, then start this one.",
      );
    }
    tell("Waiting for the last leading engine to stop.");
    return undefined;
  }

  /** Checks again under the lease: another process may have upgraded in between. */
  async function upgrade(lease: Lease): Promise<void> {
    const found = await look();
    if (found.isCurrent) return migrate(database, steps);
    const from = { layout: found.layout ?? LAYOUT, tables: found.applied };
    log.warn(
      { ...from, toLayout: LAYOUT, toTables: steps.length },
      "the venue's stores have an earlier version: upgrading them",
    );
    await prepare(from);
    await upgradeTables(found.applied);
    await runSteps({ redis, database, lease, tell, ...(parts.steps && { steps: parts.steps }) });
    await redis.del(UPGRADING_KEY);
    log.warn({ layout: LAYOUT, tables: steps.length }, "the venue's stores are upgraded");
  }

  /** One transaction without progress of its own; repeated reports show that PostgreSQL is still at work. */
  async function upgradeTables(applied: number): Promise<void> {
    const startedAtMs = performance.now();
    const say = () => {
      const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
      tell(`Upgrading the tables in PostgreSQL from version ${applied} to ${steps.length}, for ${seconds} s so far.`);
    };
    say();
    const timer = setInterval(say, TELL_EVERY_MS);
    await migrate(database, steps).finally(() => clearInterval(timer));
  }

  /** A backup holds the state before the first change, so a resumed upgrade has one already. */
  async function prepare(from: { readonly layout: number; readonly tables: number }): Promise<void> {
    if ((await redis.exists(UPGRADING_KEY)) === 1) return log.warn("resuming an interrupted upgrade");
    const nowMs = parts.nowMs();
    const onProgress = (progress: string) => tell(`Making a backup of both stores before the upgrade: ${progress}.`);
    const backup = parts.withBackup ? await backUpBeforeUpgrade({ ...parts, nowMs, onProgress }) : "";
    await redis.hset(UPGRADING_KEY, "layout", from.layout, "tables", from.tables, "backup", backup, "at", nowMs);
    if (backup !== "") log.warn({ backup }, "both stores are backed up: restore this backup to undo the upgrade");
  }

  /** True when the stores are current. */
  async function attempt(): Promise<boolean> {
    if ((await look()).isCurrent) {
      await migrate(database, steps);
      return true;
    }
    const lease = await takeLease();
    if (lease === undefined) return false;
    try {
      await upgrade(lease);
    } finally {
      // If Redis is unavailable by now, the lease expires by itself.
      await lease.giveBack().catch((error: unknown) => log.warn({ err: error }, "the lease could not be released"));
    }
    return true;
  }

  for (;;) {
    try {
      if (await attempt()) return;
    } catch (error) {
      const wait = reasonToWait(error);
      if (wait === undefined) throw error;
      tell(...wait);
    }
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Undefined for an error that waiting does not cure. */
function reasonToWait(error: unknown): Parameters<UpgradeParts["tell"]> | undefined {
  if (isStoreUnavailable(error)) return ["The venue's Redis does not answer.", "venueStore"];
  if (error instanceof DatabaseUnavailable) return ["PostgreSQL does not answer.", "database"];
  return error instanceof UpgradeLost ? ["Another process has taken over the upgrade."] : undefined;
}
