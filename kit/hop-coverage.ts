import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Which files of the project run in a process, by V8's own count of function calls. */
const root = process.cwd();

export type Coverage = { readonly result: readonly { readonly url: string; readonly functions: readonly Fn[] }[] };
type Fn = {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
};

/**
 * Files of the project in which a function ran; a module's own top level does not count. `idle` are calls to leave out.
 */
export function filesOf(coverage: Coverage, idle: ReadonlySet<string> = new Set()): Map<string, number> {
  const files = new Map<string, number>();
  for (const [file, name] of callsOf(coverage))
    if (!idle.has(`${file} ${name}`)) files.set(file, (files.get(file) ?? 0) + 1);
  return files;
}

function* callsOf(coverage: Coverage): Generator<readonly [string, string]> {
  for (const { url, functions } of coverage.result) {
    if (!url.startsWith("file://") || url.includes("/node_modules/")) continue;
    const file = relative(root, fileURLToPath(url));
    if (file.startsWith("..")) continue;
    for (const { functionName, ranges } of functions) {
      const range = ranges[0];
      if (range === undefined || range.count === 0 || (functionName === "" && range.startOffset === 0)) continue;
      yield [file, `${functionName}@${range.startOffset}`];
    }
  }
}

const say = (line: string) => process.stdout.write(`${line}\n`);

const folderOf = (file: string) => file.split("/").slice(0, -1).slice(0, 2).join("/");

function switchesOf(files: readonly string[]): number {
  const known = new Set(files);
  let switches = 0;
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, to = ""] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      const target = relative(root, join(root, file, "..", to));
      if (known.has(target) && folderOf(target) !== folderOf(file)) switches++;
    }
  }
  return switches;
}

export function report(what: string, files: ReadonlyMap<string, number>): void {
  const names = [...files.keys()].toSorted();
  const folders = new Set(names.map(folderOf));
  say(`\n${what}: ${names.length} files in ${folders.size} folders, ${switchesOf(names)} folder switches`);
  for (const folder of [...folders].toSorted()) {
    say(
      `  ${folder.padEnd(22)} ${names
        .filter((name) => folderOf(name) === folder)
        .map((name) => name.split("/").at(-1))
        .join(" ")}`,
    );
  }
}

export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #id = 0;
  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
      this.#waiting.get(id)?.(result);
    };
  }
  call(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#id;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
  async begin(): Promise<void> {
    await this.call("Profiler.enable");
    await this.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }
  async take(): Promise<Coverage> {
    return (await this.call("Profiler.takePreciseCoverage")) as Coverage;
  }
}

export async function attach(folder: string, part: string, pid: number): Promise<Inspector> {
  process.kill(pid, "SIGUSR1");
  const deadline = performance.now() + ATTACH_MS_MAX;
  while (performance.now() < deadline) {
    const log = readFileSync(join(folder, "logs", `${part}.log`), "utf8");
    const url = /Debugger listening on (ws:\S+)/.exec(log)?.[1];
    if (url !== undefined) {
      const socket = new WebSocket(url);
      await new Promise((resolve) => socket.addEventListener("open", resolve));
      const inspector = new Inspector(socket);
      await inspector.begin();
      return inspector;
    }
    await sleep(100);
  }
  throw new Error(`${part} opens no inspector`);
}

const ATTACH_MS_MAX = 30_000;

/** The process that a part's program runs in. */
export function pidOf(program: string): number {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (args.some((arg) => arg === join(root, program))) return Number(pid);
    } catch {
      // It has ended meanwhile.
    }
  }
  throw new Error(`${program} does not run`);
}

/** Calls that also happen without a request: timers, heartbeats, leases. */
export async function idleCalls(inspector: Inspector, ms: number): Promise<Set<string>> {
  await inspector.take();
  await sleep(ms);
  return new Set([...callsOf(await inspector.take())].map((call) => call.join(" ")));
}

type Sampling = {
  /** Brings the process into the state in which the request is looked at: nothing is due for a refresh. */
  readonly prepare: () => Promise<unknown>;
  readonly request: () => Promise<unknown>;
  readonly samples: number;
};

/** Long enough for work after an answer, shorter than any refresh. */
const SETTLED_MS = 60;

/**
 * The files that every single request of a kind passes: what only some of them passed belongs to a refresh or a timer.
 */
export async function filesOfEach(inspector: Inspector, { prepare, request, samples }: Sampling): Promise<Files> {
  let common: Files | undefined;
  for (let sample = 0; sample < samples; sample++) {
    await prepare();
    await sleep(SETTLED_MS);
    await inspector.take();
    await request();
    const files = filesOf(await inspector.take());
    const before = common;
    common = before === undefined ? files : new Map([...files].filter(([file]) => before.has(file)));
  }
  return common ?? new Map();
}

type Files = Map<string, number>;
