import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { assert } from "../../shared/assert.ts";
import { databaseOverPort } from "../db/port-database.ts";
import { openServerDatabase } from "../db/server-database.ts";
import { createLogger } from "../log.ts";
import { connectRedis } from "../redis/connect.ts";
import { untilReady } from "../redis/until-ready.ts";
import { createPace } from "./pace.ts";
import { type AuditReport, auditSinceLast, runAudit } from "./run-audit.ts";

/** What one audit is given. The thread ends with it. */
export type AuditOrder = {
  readonly scope: AuditScope;
  readonly redisUrl: string;
  /** A server's address, or a way to the embedded database of this process. */
  readonly database: string | MessagePort;
  /** Of the time of both stores. */
  readonly share: number;
};

/** `sinceLast`: what the last clean one has not verified yet. */
export type AuditScope = "full" | "sinceLast";
export type AuditNews = { readonly report: AuditReport } | { readonly failure: string };

const COMMAND_TIMEOUT_MS = 5_000;
const READY_MS = 5_000;
const CONNECTIONS = 1;

assert(parentPort !== null, "this file is a worker thread's");
const { scope, redisUrl, database: place, share } = workerData as AuditOrder;
const redis = connectRedis(redisUrl, createLogger("audit"), { commandTimeoutMs: COMMAND_TIMEOUT_MS });
const tell = (news: AuditNews) => parentPort?.postMessage(news);
try {
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
