import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { Clock } from "../shared/clock.ts";
import type { PartHealth } from "../shared/http/health.ts";
import { newId, systemRandom } from "../shared/ids.ts";
import { hasPast, recordedSequence } from "./commit/has-past.ts";
import type { NameBounds } from "./commit/name-memory.ts";
import { type EngineStatus, runEngine } from "./commit/run-engine.ts";
import type { Commands } from "./commit/submit/commands.ts";
import { createHandOff } from "./commit/submit/hand-off.ts";
import { openCommands } from "./commit/submit/open-commands.ts";
import type { Database } from "./db/database.ts";
import type { OriginSettings } from "./environment.ts";
import { createJournalFeed, type JournalFeed } from "./journal/journal-feed.ts";
import { type ConnectOptions, connectRedis } from "./redis/connect.ts";
import { createProjectedPosition } from "./state/projected-position.ts";
import { startStateProjection } from "./state/state-projection.ts";

/** Opens the path of an order: commands, engine, commit and projections, by the roles of this process. */
export type Trading = {
  readonly commands: Commands;
  /** Batches that this process has committed. */
  readonly feed: JournalFeed;
  readonly health: () => readonly PartHealth[];
  readonly stop: () => Promise<void>;
};

type TradingParts = {
  readonly settings: Pick<OriginSettings, "SLUICE_ROLES" | "SLUICE_UNSAFE_STORE" | "VENUE_REDIS_URL">;
  readonly database: Database;
  /** Why the permanent record cannot take one more command. */
  readonly refusalOf?: Parameters<typeof openCommands>[0]["refusalOf"];
  readonly clock: Clock;
  readonly log: Logger;
  /** Tests inject faults here. */
  readonly connect?: typeof connectRedis;
  /** Smaller in tests. */
  readonly nameBounds?: NameBounds | undefined;
};

/** A commit on a slow disk may take long; giving up would only mean looking it up in the journal. */
const COMMIT_TIMEOUT_MS = 5_000;

export function openTrading({
  settings,
  database,
  refusalOf,
  clock,
  log,
  connect = connectRedis,
  nameBounds,
}: TradingParts): Trading {
  const roles = new Set(settings.SLUICE_ROLES);
  const url = settings.VENUE_REDIS_URL;
  const connections: Redis[] = [];
  const open = (options?: ConnectOptions) => {
    const redis = connect(url, log, options);
    connections.push(redis);
    return redis;
  };
  const handOff = createHandOff(newId(systemRandom));
  // The owner of a lease can be traced to its process.
  const owner = `${process.pid}.${handOff.node}`;
  const redis = open();
  const position = createProjectedPosition(redis);
  const feed = createJournalFeed();

  // 1. Commands: an API process hands them to its own engine or appends them to the stream, and waits.
  const commands = openCommands({
    redis,
    subscriber: open(),
    clock,
    handOff,
    untilProjected: position.untilProjected,
    ...(refusalOf && { refusalOf }),
    log,
  });

  // 2. The engine: leads or stands by.
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

  // 3. Projections: the state that readers see.
  const projection = roles.has("worker")
    ? startStateProjection({
        redis,
        reader: open(),
        writer: open({ isRaw: true }),
        feed,
        onProjected: position.note,
        owner,
        log,
      })
    : undefined;

  return {
    commands,
    feed,
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

/** Some seconds of a busy venue: beyond this, reads time out. */
const LAG_MAX = 5_000;

function projectionHealth(lag: number): PartHealth {
  return { name: "projections", state: lag <= LAG_MAX ? "ok" : "down", detail: `${lag} journal entries behind` };
}
