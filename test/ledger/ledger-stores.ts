import { Redis } from "ioredis";
import { pino } from "pino";
import postgresClient from "postgres";
import { afterAll } from "vitest";
import { borrowPostgres, borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import type { PostgresServer } from "../../kit/postgres-server.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import type { Database } from "../../origin/db/database.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { type KeptLedger, keepLedger } from "../../origin/record/ledger/keep-ledger.ts";
import { connectRedis } from "../../origin/redis/connect.ts";

export type DatabaseKind = "embedded" | "server";

/** A Redis and a PostgreSQL for one test file. */
export type LedgerStores = {
  readonly redis: Redis;
  readonly redisServer: TestServer;
  readonly database: Database;
  readonly postgres: Pick<PostgresServer, "url" | "freeze" | "thaw"> | undefined;
  readonly folder: string;
  readonly connect: () => Redis;
  /** For tests that read the bytes themselves. */
  readonly connectRaw: () => Redis;
};

const atTheEnd: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const stop of atTheEnd.splice(0).reverse()) await stop();
});

export const silentLog = pino({ level: process.env["SLUICE_LOG_LEVEL"] ?? "silent" });

/** On a server of the test's own when it restarts it. */
export async function openLedgerStores(kind: DatabaseKind | PostgresServer): Promise<LedgerStores> {
  const folder = await temporaryFolder();
  const postgres = typeof kind === "object" ? kind : kind === "server" ? await borrowPostgres() : undefined;
  const redisServer = await borrowRedis({ fsync: "no" });
  const database = await openDatabase({ url: postgres?.url, folder: `${folder}/embedded` });
  atTheEnd.push(database.close);
  const connect = () => connectTo(redisServer.url);
  return {
    redis: connect(),
    redisServer,
    database,
    postgres,
    folder,
    connect,
    connectRaw: () => connectTo(redisServer.url, true),
  };
}

/** Another Redis, and another database of the same kind. */
export async function openEmptyStores({
  postgres,
  folder,
}: LedgerStores): Promise<Pick<LedgerStores, "redis" | "database">> {
  const redisServer = await borrowRedis({ fsync: "no" });
  const url = postgres && `${postgres.url.replace(/\/[^/]*$/, "")}/restored`;
  if (postgres !== undefined) await onServer(postgres.url, "CREATE DATABASE restored");
  const database = await openDatabase({ url, folder: `${folder}/embedded-empty` });
  atTheEnd.push(database.close);
  return { redis: connectTo(redisServer.url), database };
}

async function onServer(url: string, statement: string): Promise<void> {
  const sql = postgresClient(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(statement);
  await sql.end();
}

function connectTo(url: string, isRaw = false): Redis {
  const redis = isRaw ? connectRedis(url, silentLog, { isRaw }) : new Redis(url, { maxRetriesPerRequest: null });
  redis.on("error", () => {});
  atTheEnd.push(async () => redis.disconnect());
  return redis;
}

export function startLedger(
  { database, connect }: Pick<LedgerStores, "database" | "connect">,
  rowsMax = 500,
): KeptLedger {
  const redis = connect();
  const ledger = keepLedger({ database, redis, log: silentLog, random: Math.random, rowsMax });
  atTheEnd.push(ledger.stop);
  return ledger;
}

export async function rowsOf(database: Database, text: string): Promise<readonly Record<string, unknown>[]> {
  return (await database.query(text, [])) as readonly Record<string, unknown>[];
}
