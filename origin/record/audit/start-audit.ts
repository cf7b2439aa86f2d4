import { Worker } from "node:worker_threads";
import type { Redis } from "ioredis";
import type { Database } from "../../db/database.ts";
import { CONSUMERS_KEY } from "../../journal/keys.ts";
import type { AuditNews, AuditOrder, AuditScope } from "./audit-thread.ts";
import { AUDIT_CONSUMER, type AuditReport } from "./run-audit.ts";

/**
 * Runs an audit in its own thread with its own connections. The thread of the engine and the API is not affected,
 * except that the stores are a little busier.
 */
export type RunningAudit = { readonly report: Promise<AuditReport>; readonly stop: () => Promise<void> };

export type AuditStores = {
  readonly database: Database;
  readonly databaseUrl: string | undefined;
  readonly redis: Redis;
  readonly redisUrl: string;
};

const THREAD = new URL("./audit-thread.ts", import.meta.url);
const LOADER = new URL("../../../stack/program/lua-loader.ts", import.meta.url).href;
/** The regular audit takes the smaller share; an operator waits for a full one. */
const SHARES: Readonly<Record<AuditScope, number>> = { sinceLast: 0.2, full: 0.5 };
/** Longer than any audit should take, so that a hanging one does not hold the journal for ever. */
const AUDIT_MS_MAX = 6 * 3_600_000;

export function startAudit({ database, databaseUrl, redis, redisUrl }: AuditStores, scope: AuditScope): RunningAudit {
  const port = databaseUrl === undefined ? database.port?.() : undefined;
  const place = databaseUrl ?? port;
  if (place === undefined) throw new Error("this database cannot be reached from another thread");
  const order: AuditOrder = { scope, redisUrl, database: place, share: SHARES[scope] };
  const options = {
    workerData: order,
    execArgv: ["--import", LOADER],
    name: "audit",
    transferList: port === undefined ? [] : [port],
  };
  const worker = new Worker(THREAD, options);
  // A stopping process does not wait for the audit.
  worker.unref();
  const deadline = setTimeout(() => void worker.terminate(), AUDIT_MS_MAX).unref();
  let isTold = false;

  const report = new Promise<AuditReport>((resolve, reject) => {
    worker.once("message", (news: AuditNews) => {
      isTold = true;
      if ("report" in news) resolve(news.report);
      else reject(new Error(news.failure));
    });
    worker.once("error", reject);
    worker.once("exit", () => {
      clearTimeout(deadline);
      if (isTold) return;
      // The thread had no chance to do this itself.
      redis.hdel(CONSUMERS_KEY, AUDIT_CONSUMER).catch(() => {});
      reject(new Error("the audit was aborted"));
    });
  });
  return { report, stop: async () => void (await worker.terminate()) };
}
