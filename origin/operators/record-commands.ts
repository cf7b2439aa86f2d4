import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Redis } from "ioredis";
import { pino } from "pino";
import { ok } from "../../shared/result.ts";
import { complain } from "../../stack/program/command-line.ts";
import { lockFolder } from "../../stack/servers/folder-lock.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import type { Database } from "../db/database.ts";
import { openDatabase } from "../db/open-database.ts";
import type { AuditScope } from "../record/audit/audit-thread.ts";
import { type AuditReport, auditSinceLast, runAudit } from "../record/audit/run-audit.ts";
import { showAudit } from "../record/audit/show-audit.ts";
import { makeBackup } from "../record/backup/make-backup.ts";
import { openForBackup } from "../record/backup/open-for-backup.ts";
import { restoreStore } from "../record/sync/restore-store.ts";
import { faultOfLayout } from "../state/layout.ts";
import { askControl } from "./ask-control.ts";
import { restoreBackup } from "./restore-backup.ts";

export const RECORD_USAGE = `npm run audit [-- --since-last]
  Compares Redis, ledger and balances, also while the venue trades. Exits with 1 if anything differs.
  Checks the whole ledger; with --since-last only what the last clean audit of a worker has not verified.
npm run sluice -- backup DIR
  Backs up both stores into an empty folder, also while the venue trades.
npm run sluice -- restore
  Restores an empty Redis from PostgreSQL, after Redis has lost its disk.
npm run sluice -- restore DIR
  Restores a backup into two empty stores, while the venue is stopped.
SLUICE_DATA_DIR, VENUE_REDIS_URL and DATABASE_URL name the stores, as for npm start.`;

export type RecordCommand = "audit" | "backup" | "restore";

/** The output and the exit code: 0 done, 1 refused or different, 2 invalid usage. */
export type Said = { readonly text: string; readonly code: number };

type Surroundings = {
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly nowMs: () => number;
};

export async function runRecordCommand(
  name: RecordCommand,
  args: readonly string[],
  { environment, say, nowMs }: Surroundings,
): Promise<number> {
  const isSinceLast = name === "audit" && args.includes(SINCE_LAST);
  const given = isSinceLast ? args.filter((argument) => argument !== SINCE_LAST) : args;
  const fault = faultOf(name, given);
  if (fault !== undefined) return complain(fault);
  const [folder] = given;
  const dataFolder = environment["SLUICE_DATA_DIR"] ?? ".sluice";
  // npm changes to the folder of the package; the argument is relative to the operator's folder.
  const target = folder === undefined ? undefined : resolve(environment["INIT_CWD"] ?? ".", folder);
  // A running venue owns its embedded database, so it runs the command itself.
  const asked = await askControl(dataFolder, `/${name}`, { folder: target ?? "", isSinceLast });
  const said =
    asked === undefined
      ? await doStopped({ name, target, isSinceLast, dataFolder, environment, nowMs })
      : saidBy(asked);
  // The findings of an audit are its output, not an error.
  if (said.code !== 0 && name !== "audit") return complain(said.text, said.code);
  say(said.text);
  return said.code;
}

const SINCE_LAST = "--since-last";

/** The fault in the arguments. */
function faultOf(name: RecordCommand, [folder, ...more]: readonly string[]): string | undefined {
  if (folder?.startsWith("-")) return `Unknown option ${folder}; --help lists the options.`;
  if (more.length > 0 || (name === "audit" && folder !== undefined))
    return `Not understood: ${more[0] ?? folder}; --help tells how ${name} is used.`;
  return name === "backup" && folder === undefined
    ? "backup needs a folder to write to: npm run sluice -- backup DIR"
    : undefined;
}

function saidBy(answer: object): Said {
  if ("said" in answer && "code" in answer) return { text: String(answer.said), code: Number(answer.code) };
  return { text: `Not done: ${"refused" in answer ? String(answer.refused) : "the venue did not answer"}.`, code: 1 };
}

type Stopped = {
  readonly name: RecordCommand;
  readonly target: string | undefined;
  readonly isSinceLast: boolean;
  readonly dataFolder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly nowMs: () => number;
};

async function doStopped({ name, target, isSinceLast, dataFolder, environment, nowMs }: Stopped): Promise<Said> {
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(dataFolder);
  const url = environment["VENUE_REDIS_URL"];
  const server =
    url === undefined
      ? await startRedisServer({ folder: resolve(dataFolder, "venue-redis"), fsync: "always" })
      : undefined;
  const redisUrl = url ?? server?.url ?? "";
  const redis = new Redis(redisUrl);
  try {
    const place = { url: environment["DATABASE_URL"], folder: join(dataFolder, "postgres") };
    const opened =
      name === "restore" && target !== undefined ? await openForBackup(place, target) : ok(await openDatabase(place));
    if (!opened.ok) return { text: `Not restored: ${opened.reason}`, code: 1 };
    const database = opened.value;
    try {
      const fault = name === "restore" ? undefined : await faultOfLayout(redis);
      if (fault !== undefined) return { text: `Not done: ${fault}`, code: 1 };
      return await doRecordCommand({ name, target, isSinceLast, database, redis, redisUrl, nowMs, isRunning: false });
    } finally {
      await database.close();
    }
  } finally {
    redis.disconnect();
    await server?.stop();
    await lock.release();
  }
}

type RecordWork = {
  readonly name: RecordCommand;
  readonly target: string | undefined;
  /** For an audit. */
  readonly isSinceLast?: boolean;
  /** A running venue audits in another thread than the one that serves requests. */
  readonly audit?: (scope: AuditScope) => Promise<AuditReport>;
  readonly database: Database;
  readonly redis: Redis;
  readonly redisUrl: string;
  readonly nowMs: () => number;
  readonly isRunning: boolean;
};

/** Runs in the process of the command or of the running venue. */
export function doRecordCommand(work: RecordWork): Promise<Said> {
  switch (work.name) {
    case "audit":
      return audit(work);
    case "backup":
      return backUp(work);
    case "restore":
      return work.target === undefined ? restoreRedis(work) : restoreBoth(work, work.target);
  }
}

async function audit({ database, redis, isSinceLast = false, audit: inThread }: RecordWork): Promise<Said> {
  const here = () =>
    isSinceLast ? auditSinceLast({ database, redis }) : runAudit({ database, redis, withRestore: true });
  const report = await (inThread === undefined ? here() : inThread(isSinceLast ? "sinceLast" : "full"));
  return { text: showAudit(report), code: report.isClean ? 0 : 1 };
}

async function backUp({ database, redis, redisUrl, target = "", nowMs }: RecordWork): Promise<Said> {
  const made = await makeBackup({ database, redis, redisUrl, folder: target, nowMs: nowMs() });
  if (!made.ok) return { text: `Not backed up: ${made.reason}`, code: 1 };
  const { sequence, tables, redis: snapshot } = made.value;
  const what = snapshot === undefined ? `${tables.length} tables` : `${tables.length} tables and Redis`;
  const without = snapshot === undefined ? "\nRedis refused its snapshot; PostgreSQL is sufficient for a restore." : "";
  return { text: `Backed up at journal entry ${sequence}: ${what} in ${target}.${without}`, code: 0 };
}

async function restoreRedis({ database, redis }: RecordWork): Promise<Said> {
  const restored = await restoreStore(database, redis);
  if (!restored.ok) return { text: `Not restored: ${restored.reason}`, code: 1 };
  const { sequence, orders, audit: report } = restored.value;
  return {
    text: `${showAudit(report)}\nRestored at journal entry ${sequence}, with ${orders} open orders. The venue may trade.`,
    code: 0,
  };
}

async function restoreBoth({ database, redis, isRunning }: RecordWork, folder: string): Promise<Said> {
  if (isRunning)
    return { text: "Not restored: stop the venue first; a backup is restored into empty stores.", code: 1 };
  const restored = await restoreBackup({ database, redis, folder, log: pino({ level: "silent" }) });
  if (!restored.ok) return { text: `Not restored: ${restored.reason}`, code: 1 };
  const { sequence, keys, rows, audit: report } = restored.value;
  return {
    text: `${showAudit(report)}\nRestored at journal entry ${sequence}: ${rows} rows and ${keys} keys. The venue may be started.`,
    code: 0,
  };
}
