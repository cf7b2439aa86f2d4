import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { assert } from "../../../shared/assert.ts";
import { createLogger } from "../../../stack/program/log.ts";
import { databaseOverPort } from "../../db/port-database.ts";
import { openServerDatabase } from "../../db/server-database.ts";
import { yieldToTrading } from "../../db/yield-to-trading.ts";
import { connectRedis } from "../../redis/connect.ts";
import { untilReady } from "../../redis/until-ready.ts";
import { createPace } from "./pace.ts";
import { type AuditReport, auditSinceLast, runAudit } from "./run-audit.ts";

/** Input of one audit. The thread ends with the audit. */
export type AuditOrder = {
  readonly scope: AuditScope;
  readonly redisUrl: string;
  /** The URL of a server, or a port to the embedded database of this process. */
  readonly database: string | MessagePort;
  /** Largest share of the time of both stores. */
  readonly share: number;
};

/** `sinceLast`: everything that the last clean audit has not verified. */
export type AuditScope = "full" | "sinceLast";
export type AuditNews = { readonly report: AuditReport } | { readonly failure: string };

const COMMAND_TIMEOUT_MS = 5_000;
const READY_MS = 5_000;
const CONNECTIONS = 1;
/** Lower priority than the embedded database, which the ledger needs too. */
const NICENESS = 10;

assert(parentPort !== null, "this file runs in a worker thread");
const { scope, redisUrl, database: place, share } = workerData as AuditOrder;
const redis = connectRedis(redisUrl, createLogger("audit"), { commandTimeoutMs: COMMAND_TIMEOUT_MS });
const tell = (news: AuditNews) => parentPort?.postMessage(news);
try {
  yieldToTrading(NICENESS);
  await untilReady(redis, READY_MS);
  const database = typeof place === "string" ? await openServerDatabase(place, CONNECTIONS) : databaseOverPort(place);
  const parts = { database, redis, pause: createPace(share) };
  try {
    tell({ report: scope === "full" ? await runAudit({ ...parts, withRestore: true }) : await auditSinceLast(parts) });
  } finally {
    await database.close();
  }
} catch (error) {
  tell({ failure: error instanceof Error ? error.message : String(error) });
} finally {
  redis.disconnect();
}
