import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { type PostgresServer, startPostgresServer } from "../../kit/postgres-server.ts";
import { seededRandom } from "../../kit/random.ts";
import { openDatabase } from "../../origin/db/open-database.ts";
import { OFFSET_KEY } from "../../origin/journal/keys.ts";
import { type AuditReport, runAudit } from "../../origin/record/audit/run-audit.ts";
import { readOffset } from "../../origin/record/ledger/ledger-queries.ts";
import { type Child, startChild } from "../../stack/servers/child.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { type RedisServer, startRedisServer } from "../../stack/servers/redis-server.ts";

/**
 * Kills every part at random moments while trading continues: the worker with the ledger, the engine with the api,
 * Redis, PostgreSQL. Afterwards every acknowledged payment must be in the ledger exactly once, and the audit must be
 * clean.
 */
export type KillReport = {
  readonly kills: Readonly<Record<Victim, number>>;
  readonly acknowledged: number;
  /** Acknowledged payments that the ledger does not hold exactly once. */
  readonly wrong: readonly string[];
  readonly audit: AuditReport;
};

const VICTIMS = ["worker", "origin", "redis", "postgres"] as const;
type Victim = (typeof VICTIMS)[number];

type KillOptions = {
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  readonly print?: (line: string) => void;
};

const PROCESS_FILE = fileURLToPath(new URL("./venue-process.ts", import.meta.url));
const LOADER = new URL("../../stack/program/lua-loader.ts", import.meta.url).href;
const CATCH_UP_MS_MAX = 120_000;

export async function runKills({ folder, kills, seed, print = () => {} }: KillOptions): Promise<KillReport> {
  const random = seededRandom(seed);
  const acknowledged = new Set<string>();
  const counts: Record<Victim, number> = { worker: 0, origin: 0, redis: 0, postgres: 0 };
  const redisPlace = { folder: `${folder}/redis`, fsync: "always", port: await freePort() } as const;
  let redis: RedisServer = await startRedisServer(redisPlace);
  let postgres: PostgresServer = await startPostgresServer(folder);
  let isOver = false;
  let lives = 0;

  /** Restarts it whenever it has ended: it was killed, or found a part unavailable at its start. */
  function keepAlive(roles: string, isTrading: boolean) {
    let child: Child;
    let isRetired = false;
    const start = () => {
      const load = isTrading ? { LOAD_SEED: String(seed * 10_000 + lives++) } : {};
      const environment = {
        ...process.env,
        SLUICE_ROLES: roles,
        VENUE_REDIS_URL: redis.url,
        DATABASE_URL: postgres.url,
        SLUICE_LOG_LEVEL: "fatal",
        ...load,
      };
      child = startChild({
        name: roles,
        command: process.execPath,
        args: ["--import", LOADER, PROCESS_FILE],
        environment,
      });
      createInterface({ input: child.reports }).on("line", (reference) => acknowledged.add(reference));
      void child.exited.then(async () => {
        await sleep(100);
        if (!isOver && !isRetired) start();
      });
    };
    start();
    const retire = () => {
      isRetired = true;
    };
    return {
      retire,
      kill: () => process.kill(child.pid, "SIGKILL"),
      stop: () => child.stop(),
      hasExited: () => child.hasExited(),
    };
  }

  const worker = keepAlive("worker", false);
  const origin = keepAlive("api,engine", true);

  async function kill(victim: Victim): Promise<void> {
    counts[victim]++;
    if (victim === "worker" || victim === "origin") {
      const process_ = victim === "worker" ? worker : origin;
      if (!process_.hasExited()) process_.kill();
    } else if (victim === "redis") {
      process.kill(redis.child.pid, "SIGKILL");
      await redis.child.exited;
      redis = await startRedisServer(redisPlace);
    } else {
      process.kill(postgres.child.pid, "SIGKILL");
      await postgres.child.exited;
      postgres = await postgres.again();
    }
  }

  try {
    await untilMore(acknowledged, 0);
    for (let count = 0; count < kills; count++) {
      const before = acknowledged.size;
      await sleep(random.between(0, 400));
      const victim = random.pick(VICTIMS);
      await kill(victim);
      // Sometimes a second part is killed while the first is still starting.
      if (random.chance(0.7)) await untilMore(acknowledged, before);
      if ((count + 1) % 20 === 0) print(`${count + 1} kills, ${acknowledged.size} payments acknowledged`);
    }
    await untilMore(acknowledged, acknowledged.size);
    // The worker keeps running and writes the rest.
    origin.retire();
    await origin.stop();
    return {
      kills: counts,
      acknowledged: acknowledged.size,
      ...(await judge({ redisUrl: redis.url, databaseUrl: postgres.url, acknowledged })),
    };
  } finally {
    isOver = true;
    await origin.stop();
    await worker.stop();
    await redis.stop();
    await postgres.stop();
  }
}

/** An acknowledgement shows that trading has resumed. */
async function untilMore(acknowledged: ReadonlySet<string>, before: number): Promise<void> {
  const deadline = performance.now() + CATCH_UP_MS_MAX;
  while (acknowledged.size <= before) {
    if (performance.now() > deadline) throw new Error("trading has not resumed");
    await sleep(20);
  }
}

type Judged = { readonly redisUrl: string; readonly databaseUrl: string; readonly acknowledged: ReadonlySet<string> };

async function judge({ redisUrl, databaseUrl, acknowledged }: Judged): Promise<Pick<KillReport, "wrong" | "audit">> {
  const redis = new Redis(redisUrl);
  const database = await openDatabase({ url: databaseUrl, folder: "unused" });
  try {
    const deadline = performance.now() + CATCH_UP_MS_MAX;
    const isBehind = async () =>
      ((await readOffset.first(database, { consumer: "ledger" }))?.sequence ?? 0) <
      Number(await redis.hget(OFFSET_KEY, "sequence"));
    while ((await isBehind()) && performance.now() < deadline) await sleep(50);
    const rows = await database.query(
      "SELECT reference, count(*)::int AS count FROM postings WHERE kind = 'deposit' AND account <> 'outside' GROUP BY 1",
      [],
    );
    const found = new Map(
      (rows as readonly { reference: string; count: number }[]).map(({ reference, count }) => [reference, count]),
    );
    const wrong = [...acknowledged].filter((reference) => found.get(reference) !== 1);
    return { wrong, audit: await runAudit({ database, redis, withRestore: true }) };
  } finally {
    await database.close();
    redis.disconnect();
  }
}
