import { Worker } from "node:worker_threads";
import type { Redis } from "ioredis";
import { CONSUMERS_KEY } from "../commit/keys.ts";
import type { Database } from "../db/database.ts";
import type { AuditNews, AuditOrder, AuditScope } from "./audit-thread.ts";
import { AUDIT_CONSUMER, type AuditReport } from "./run-audit.ts";

/**
 * An audit in a thread of its own, with connections of its own: the thread of the engine and of the API notices nothing of it but that the stores have a
 * little less time.
 */
export type RunningAudit = { readonly report: Promise<AuditReport>; readonly stop: () => Promise<void> };

export type AuditStores = {
  readonly database: Database;
  readonly databaseUrl: string | undefined;
  readonly redis: Redis;
  readonly redisUrl: string;
};

const THREAD = new URL("./audit-thread.ts", import.meta.url);
const LOADER = new URL("../lua-loader.ts", import.meta.url).href;
/** The regular audit takes the smaller part; whoever asks for one waits for it. */
const SHARES: Readonly<Record<AuditScope, number>> = { sinceLast: 0.2, full: 0.5 };
/** Longer than any should take, so that one that hangs does not keep the journal for ever. */
const AUDIT_MS_MAX = 6 * 3_600_000;

export function startAudit({ database, databaseUrl, redis, redisUrl }: AuditStores, scope: AuditScope): RunningAudit {
  const port = databaseUrl === undefined ? database.port?.() : undefined;
  const place = databaseUrl ?? port;
  if (place === undefined) throw new Error("this database cannot be reached from another thread");
  const order: AuditOrder = { scope, redisUrl, database: place, share: SHARES[scope] };
  const options = { workerData: order, execArgv: ["--import", LOADER], name: "audit", transferList: port === undefined ? [] : [port] };
  const worker = new Worker(THREAD, options);
  // A process that stops does not wait for it.
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
      // It had no chance to do this itself.
      redis.hdel(CONSUMERS_KEY, AUDIT_CONSUMER).catch(() => {});
      reject(new Error("the audit was broken off"));
    });
  });
  return { report, stop: async () => void (await worker.terminate()) };
}
