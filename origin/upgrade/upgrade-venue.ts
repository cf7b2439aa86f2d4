import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Logger } from "pino";
import { FENCE_KEY } from "../commit/keys.ts";
import { foreignLayout, LAYOUT, readLayout } from "../commit/layout.ts";
import { acquireLease, keepLease, type Lease } from "../commit/lease.ts";
import { type Database, DatabaseUnavailable } from "../db/database.ts";
import { appliedSteps, type Migration, migrate } from "../db/migrate.ts";
import { migrations } from "../db/migrations.ts";
import { scriptRunner } from "../redis/script-runner.ts";
import { isStoreAbsence } from "../redis/store-absence.ts";
import { UPGRADING_KEY } from "./keys.ts";
import { runSteps, UpgradeLost } from "./run-steps.ts";
import type { UpgradeStep } from "./steps.ts";
import { backUpBeforeUpgrade } from "./upgrade-backups.ts";

/**
 * Before anything else of a process is started: both stores as this program needs them. What it promises: a store of a later program, or one on
 * which another engine still leads, is refused with a sentence and not touched; before the first change a backup of both is whole; one process
 * upgrades, under the engine's own lease, so that nobody commits meanwhile; an upgrade that was cut short is finished by the next start. While
 * a store is away it waits, and says so.
 */
type UpgradeParts = {
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly database: Database;
  readonly dataFolder: string;
  /** False where the operator has made one. */
  readonly withBackup: boolean;
  /** Unique to this process and start. */
  readonly owner: string;
  readonly nowMs: () => number;
  /** What this process waits for, and which part that is: for `/health`. */
  readonly tell: (sentence: string, part?: "venueStore" | "database") => void;
  readonly log: Logger;
  readonly migrations?: readonly Migration[];
  readonly steps?: readonly UpgradeStep[];
};

const LOOK_AGAIN_MS = 250;
const TELL_EVERY_MS = 5_000;
/** Several leases: an engine that was killed does not lead for longer. */
const ENGINE_GONE_MS_MAX = 5_000;
/** Who holds the lease in order to upgrade. */
const OWNER_PREFIX = "upgrade.";

type Found = { readonly layout: number | undefined; readonly applied: number; readonly isCurrent: boolean };

export async function upgradeVenue(parts: UpgradeParts): Promise<void> {
  const { redis, database, tell, log } = parts;
  const steps = parts.migrations ?? migrations;
  const runner = scriptRunner(redis);
  let engineSinceMs: number | undefined;

  /** Nothing is changed by looking. */
  async function look(): Promise<Found> {
    const found = await readLayout(redis);
    const foreign = foreignLayout(found);
    if (foreign !== undefined) throw new Error(foreign);
    const applied = await appliedSteps(database, steps);
    const layout = found.kind === "layout" ? found.layout : undefined;
    // New tables are nobody's past: they are made at once.
    const areTablesCurrent = applied === 0 || applied === steps.length;
    return { layout, applied, isCurrent: areTablesCurrent && (layout === undefined || layout === LAYOUT) };
  }

  /** Undefined while another process leads; throws when that is an engine which does not go away. */
  async function takeLease(): Promise<Lease | undefined> {
    const epoch = await acquireLease(runner, `${OWNER_PREFIX}${parts.owner}`);
    if (epoch !== undefined) return keepLease(runner, epoch, log);
    const owner = (await redis.hget(FENCE_KEY, "owner")) ?? "";
    if (owner.startsWith(OWNER_PREFIX)) {
      engineSinceMs = undefined;
      tell("Another process upgrades the venue's stores; this one starts when that is done.");
      return undefined;
    }
    engineSinceMs ??= performance.now();
    if (performance.now() - engineSinceMs > ENGINE_GONE_MS_MAX) {
      throw new Error("An engine of an earlier version trades on these stores: stop every process of that version, then start this one.");
    }
    tell("Waiting for the engine that led last to be gone.");
    return undefined;
  }

  /** The second look is under the lease: another process may have been here between the two. */
  async function upgrade(lease: Lease): Promise<void> {
    const found = await look();
    if (found.isCurrent) return migrate(database, steps);
    const from = { layout: found.layout ?? LAYOUT, tables: found.applied };
    log.warn({ ...from, toLayout: LAYOUT, toTables: steps.length }, "the venue's stores are of an earlier version: upgrading them");
    await prepare(from);
    await upgradeTables(found.applied);
    await runSteps({ redis, database, lease, tell, ...(parts.steps && { steps: parts.steps }) });
    await redis.del(UPGRADING_KEY);
    log.warn({ layout: LAYOUT, tables: steps.length }, "the venue's stores are upgraded");
  }

  /** One transaction, which says nothing until it is done; PostgreSQL is at work for as long as this is told anew. */
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

  /** A backup is of the state before the first change: an upgrade that goes on has one already. */
  async function prepare(from: { readonly layout: number; readonly tables: number }): Promise<void> {
    if ((await redis.exists(UPGRADING_KEY)) === 1) return log.warn("an upgrade that was interrupted goes on");
    const nowMs = parts.nowMs();
    const onProgress = (progress: string) => tell(`Making a backup of both stores before the upgrade: ${progress}.`);
    const backup = parts.withBackup ? await backUpBeforeUpgrade({ ...parts, nowMs, onProgress }) : "";
    await redis.hset(UPGRADING_KEY, "layout", from.layout, "tables", from.tables, "backup", backup, "at", nowMs);
    if (backup !== "") log.warn({ backup }, "both stores are backed up: this is the way back");
  }

  /** True when there is nothing more to do. */
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
      // Redis may be away by now: then the lease runs out by itself.
      await lease.giveBack().catch((error: unknown) => log.warn({ err: error }, "the lease was not given back"));
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

/** Undefined for what does not pass by itself. */
function reasonToWait(error: unknown): Parameters<UpgradeParts["tell"]> | undefined {
  if (isStoreAbsence(error)) return ["The venue's Redis does not answer.", "venueStore"];
  if (error instanceof DatabaseUnavailable) return ["PostgreSQL does not answer.", "database"];
  return error instanceof UpgradeLost ? ["Another process has taken the upgrade over."] : undefined;
}
