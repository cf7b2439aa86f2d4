import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { type Child, startChild } from "./child.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";
import { loadingProgress } from "./loading-progress.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

/** A redis-server (or valkey-server) process on loopback, its data in one folder. */
export type RedisServer = {
  readonly child: Child;
  readonly port: number;
  readonly clusterBusPort: number;
  readonly url: string;
  readonly stop: () => Promise<void>;
};

type RedisServerOptions = {
  readonly name?: string;
  readonly folder: string;
  /**
   * `always`: an acknowledged write survives `kill -9`. `everysec`: the last second may be lost. `no`: nothing is kept.
   */
  readonly fsync: "always" | "everysec" | "no";
  readonly port?: number;
  readonly password?: string;
  /**
   * A second user with the same password, who may access all data and not administer the server. Only with a password.
   */
  readonly dataUser?: string;
  readonly clusterEnabled?: boolean;
  /** Its memory limit; without it, all of the machine's memory. */
  readonly memoryMb?: number;
  readonly logFile?: string;
  readonly onProgress?: ((progress: string) => void) | undefined;
};

/**
 * Redis applies these rules to every command, also inside a script. The excluded categories stop, empty, search or
 * reconfigure a server; these few of their commands are harmless.
 */
const DATA_USER_RULES = "~* &* +@all -@admin -@dangerous +info +sort +sort_ro +restore";

export const REDIS_PROGRAMS = ["redis-server", "valkey-server"] as const;

export async function startRedisServer(options: RedisServerOptions): Promise<RedisServer> {
  const { name = "redis", password, logFile } = options;
  const program = findProgram(...REDIS_PROGRAMS);
  if (program === undefined) throw new Error("Neither redis-server nor valkey-server is on the PATH.");
  const port = options.port ?? (await freePort());
  const clusterBusPort = await freePort();
  const configFile = join(options.folder, "redis.conf");
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  // The password is in a file that only its owner can read; on the command line every user of the machine could.
  await writeFile(configFile, redisConfig(options, { port, clusterBusPort }), { mode: 0o600 });
  const child = startChild({
    name,
    command: program,
    args: [configFile],
    ...(logFile === undefined ? {} : { logFile }),
  });
  const url = `redis://${password === undefined ? "" : `:${password}@`}127.0.0.1:${port}`;
  await waitUntilReady({ child, probe: () => answersAs(child.pid, url), onProgress: options.onProgress });
  return { child, port, clusterBusPort, url, stop: child.stop };
}

function redisConfig(
  options: RedisServerOptions,
  ports: { readonly port: number; readonly clusterBusPort: number },
): string {
  const { folder, fsync, password, dataUser, clusterEnabled = false } = options;
  const lines = [
    "bind 127.0.0.1",
    `port ${ports.port}`,
    `dir ${quoted(folder)}`,
    "daemonize no",
    // Eviction would silently drop orders and places in line; a full store must refuse writes instead.
    "maxmemory-policy noeviction",
    // The append-only file is the record; snapshots would only fork a second time.
    'save ""',
    `appendonly ${fsync === "no" ? "no" : "yes"}`,
    `appendfsync ${fsync}`,
    // With "yes", a rewrite would switch fsync off even under "always".
    "no-appendfsync-on-rewrite no",
    // A busy venue writes the default of 64 MiB in some seconds; each rewrite forks, and takes a core and the disk from
    // trading.
    "auto-aof-rewrite-min-size 256mb",
    // So the file, and the time that a restart takes to read it, stay below twice what Redis holds, however long it has
    // run.
    "auto-aof-rewrite-percentage 100",
  ];
  if (options.memoryMb !== undefined) lines.push(`maxmemory ${options.memoryMb}mb`);
  if (password !== undefined) lines.push(`requirepass ${quoted(password)}`);
  if (password !== undefined && dataUser !== undefined)
    lines.push(`user ${dataUser} on >${password} ${DATA_USER_RULES}`);
  if (clusterEnabled)
    lines.push("cluster-enabled yes", `cluster-port ${ports.clusterBusPort}`, "cluster-node-timeout 2000");
  return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/**
 * True once the server answers and is the process we started: on a taken port another server would answer. While it
 * loads its file, its progress.
 */
async function answersAs(pid: number, url: string): Promise<boolean | string> {
  const redis = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    enableReadyCheck: false,
    connectTimeout: 1_000,
  });
  // ioredis repeats every failure as an event; the call below is rejected as well.
  redis.on("error", () => {});
  try {
    await redis.connect();
    if (!(await redis.info("server")).includes(`process_id:${pid}\r\n`)) return false;
    const progress = loadingProgress(await redis.info("persistence"));
    if (progress !== undefined) return progress;
    await redis.ping();
    return true;
  } finally {
    redis.disconnect();
  }
}
