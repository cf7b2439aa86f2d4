import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../shared/clock.ts";
import type { PartHealth } from "../shared/health.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import type { Commands } from "./commands/commands.ts";
import { createHandOff } from "./commands/hand-off.ts";
import { openCommands } from "./commands/open-commands.ts";
import { hasPast, recordedSequence } from "./commit/has-past.ts";
import { createJournalFeed } from "./commit/journal-feed.ts";
import type { NameBounds } from "./commit/name-memory.ts";
import { type EngineStatus, runEngine } from "./commit/run-engine.ts";
import type { Database } from "./db/database.ts";
import type { OriginSettings } from "./environment.ts";
import { createProjectedPosition } from "./projections/projected-position.ts";
import { startStateProjection } from "./projections/state-projection.ts";
import { type ConnectOptions, connectRedis } from "./redis/connect.ts";

/** The way of an order, put together: commands, engine, commit, projections, as far as this process has a part in them. */
export type Trading = {
  readonly commands: Commands;
  readonly health: () => readonly PartHealth[];
  readonly stop: () => Promise<void>;
};

type TradingParts = {
  readonly settings: Pick<OriginSettings, "SLUICE_ROLES" | "SLUICE_UNSAFE_STORE" | "VENUE_REDIS_URL">;
  readonly database: Database;
  /** Whether the permanent record has room for one more. */
  readonly refusalOf?: Parameters<typeof openCommands>[0]["refusalOf"];
  readonly clock: Clock;
  readonly log: Logger;
  /** Tests put their faults here. */
  readonly connect?: typeof connectRedis;
  /** And make its memory small. */
  readonly nameBounds?: NameBounds | undefined;
};

/** A commit on a slow disk takes as long as it takes; one that was given up would only have to be looked up in the journal. */
const COMMIT_TIMEOUT_MS = 5_000;

export function openTrading({ settings, database, refusalOf, clock, log, connect = connectRedis, nameBounds }: TradingParts): Trading {
  const roles = new Set(settings.SLUICE_ROLES);
  const url = settings.VENUE_REDIS_URL;
  const connections: Redis[] = [];
  const open = (options?: ConnectOptions) => {
    const redis = connect(url, log, options);
    connections.push(redis);
    return redis;
  };
  const handOff = createHandOff(newId(systemRandom));
  // Whoever looks at a lease finds the process.
  const owner = `${process.pid}.${handOff.node}`;
  const redis = open();
  const position = createProjectedPosition(redis);
  const feed = createJournalFeed();

  // 1. Commands: whoever serves the API hands them over or appends them, and waits.
  const commands = openCommands({
    redis,
    subscriber: open(),
    clock,
    handOff,
    untilProjected: position.untilProjected,
    ...(refusalOf && { refusalOf }),
    log,
  });

  // 2. The engine: leads, or stands by.
  const engine = roles.has("engine")
    ? runEngine({
        redis: open({ commandTimeoutMs: COMMIT_TIMEOUT_MS }),
        blocking: open(),
        owner,
        commands,
        feed,
        nowMs: clock.nowMs,
        hasPast: () => hasPast(database),
        recordedSequence: () => recordedSequence(database),
        nameBounds,
        isUnsafeStoreAllowed: settings.SLUICE_UNSAFE_STORE,
        log,
      })
    : undefined;

  // 3. Projections: what readers see.
  const projection = roles.has("worker")
    ? startStateProjection({ redis, reader: open(), writer: open({ isRaw: true }), feed, onProjected: position.note, owner, log })
    : undefined;

  return {
    commands,
    health: () => [
      ...(engine === undefined ? [] : [engineHealth(engine.status())]),
      ...(projection === undefined ? [] : [projectionHealth(projection.lag())]),
    ],
    stop: async () => {
      await commands.stop();
      await engine?.stop();
      await projection?.stop();
      for (const connection of connections) connection.disconnect();
    },
  };
}

function engineHealth(status: EngineStatus): PartHealth {
  switch (status.role) {
    case "starting":
      return {
        name: "engine",
        state: "down",
        detail: status.progress === "" ? "The engine is starting." : `The engine is loading ${status.progress}.`,
      };
    case "refusing":
      return { name: "engine", state: "down", detail: status.why, refuses: true };
    case "leader":
    case "standby":
      return { name: "engine", state: "ok", detail: `${status.role}, at journal entry ${status.sequence}` };
  }
}

/** Some seconds of a busy venue: readers wait in vain for what they were told. */
const LAG_MAX = 5_000;

function projectionHealth(lag: number): PartHealth {
  return { name: "projections", state: lag <= LAG_MAX ? "ok" : "down", detail: `${lag} journal entries behind` };
}
