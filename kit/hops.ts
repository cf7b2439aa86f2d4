import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/**
 * `npm run hops`: which files of the project run for one admitted request, one poll, one order and one `npm start`, by
 *   V8's own count of function calls in the running processes. A folder switch is an import between two files of the
 *   list that are in different folders.
 */
const root = process.cwd();
const PARTS = { edge: "edge/node.ts", origin: "origin/main.ts", stack: "stack/main.ts" } as const;

type Coverage = { readonly result: readonly { readonly url: string; readonly functions: readonly Fn[] }[] };
type Fn = {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/**
 * Files of the project in which a function ran; a module's own top level does not count. `idle` are calls to leave out.
 */
function filesOf(coverage: Coverage, idle: ReadonlySet<string> = new Set()): Map<string, number> {
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

function report(what: string, files: ReadonlyMap<string, number>): void {
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

class Inspector {
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

async function attach(folder: string, part: string, pid: number): Promise<Inspector> {
  process.kill(pid, "SIGUSR1");
  for (;;) {
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
}

/** The process that a part's program runs in. */
function pidOf(program: string): number {
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
async function idleCalls(inspector: Inspector, ms: number): Promise<Set<string>> {
  await inspector.take();
  await sleep(ms);
  return new Set([...callsOf(await inspector.take())].map((call) => call.join(" ")));
}

const folder = mkdtempSync(join(tmpdir(), "sluice-hops-"));
const coverageFolder = mkdtempSync(join(tmpdir(), "sluice-hops-v8-"));
const [port, originPort, bridgePort] = [await freePort(), await freePort(), await freePort()];
const environment = {
  ...process.env,
  SLUICE_EDGE: "node",
  SLUICE_DATA_DIR: folder,
  SLUICE_PORT: String(port),
  SLUICE_ORIGIN_PORT: String(originPort),
  SLUICE_BRIDGE_PORT: String(bridgePort),
};
const base = `http://127.0.0.1:${port}`;
const stack: ChildProcess = spawn("npm", ["start"], {
  cwd: root,
  env: { ...environment, NODE_OPTIONS: "--inspect-port=0", NODE_V8_COVERAGE: coverageFolder },
  stdio: ["ignore", "pipe", "pipe"],
});
stack.stderr?.pipe(process.stderr);
for (;;) {
  const ok = await fetch(`${base}/_sluice/health`).then(
    (res) => res.ok,
    () => false,
  );
  if (ok) break;
  await sleep(300);
}
try {
  const edge = await attach(folder, "edge", pidOf(PARTS.edge));
  const enter = async () => {
    const res = await fetch(`${base}/_sluice/queues/demo/enter`, { method: "POST" });
    const cookie = res.headers
      .getSetCookie()
      .map((each) => each.split(";")[0])
      .join("; ");
    return { status: res.status, cookie, body: (await res.json()) as Record<string, unknown> };
  };
  const visitors = [];
  for (let n = 0; n < 5; n++) visitors.push(await enter());
  const inside = visitors[0]?.cookie ?? "";
  const waiting = visitors.find(({ status }) => status === 201)?.cookie ?? "";
  const page = async () => (await fetch(`${base}/demo/`, { headers: { cookie: inside } })).text();
  const poll = async () =>
    (await fetch(`${base}/_sluice/queues/demo/heartbeat`, { method: "POST", headers: { cookie: waiting } })).text();
  await page();
  await poll();
  await sleep(1_500);
  const idle = await idleCalls(edge, 4_000);
  await page();
  await sleep(50);
  report("An admitted request (edge)", filesOf(await edge.take(), idle));
  await sleep(1_200);
  await edge.take();
  await poll();
  await sleep(50);
  report("A poll (edge)", filesOf(await edge.take(), idle));

  const demo = spawn("npm", ["run", "sluice", "--", "demo"], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let told = "";
  demo.stdout?.on("data", (chunk) => {
    told += String(chunk);
  });
  while (!/demo_\w+\D+[\s\S]*password/i.test(told) || !/curl[\s\S]*wallet/.test(told)) await sleep(200);
  await sleep(3_000);
  for (const child of childrenOf(demo.pid ?? 0)) process.kill(child, "SIGTERM");
  const [, username = "", password = ""] = /"username":"(demo_\w+)","password":"([^"]+)"/.exec(told) ?? [];
  const entered = await fetch(`${base}/_sluice/queues/venue/enter`, { method: "POST" });
  const cookie = entered.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ");
  const json = { "content-type": "application/json", cookie };
  const login = await fetch(`${base}/api/v1/auth/login`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ username, password }),
  });
  const { accessToken } = (await login.json()) as { accessToken: string };
  const order = async () => {
    const res = await fetch(`${base}/api/v1/orders`, {
      method: "POST",
      headers: { ...json, authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ pair: "btcidr", side: "buy", type: "limit", price: "1000000", quantity: "0.1" }),
    });
    if (res.status !== 201) throw new Error(`an order was refused: ${await res.text()}`);
    await res.arrayBuffer();
  };
  await order();
  const origin = await attach(folder, "origin", pidOf(PARTS.origin));
  await order();
  await sleep(2_500);
  const originIdle = await idleCalls(origin, 6_000);
  await order();
  report("An order, from HTTP to the answer (origin)", filesOf(await origin.take(), originIdle));
} finally {
  process.kill(pidOf(PARTS.stack), "SIGINT");
  await new Promise((resolve) => stack.once("exit", resolve));
}
const files = new Map<string, number>();
for (const name of readdirSync(coverageFolder)) {
  const coverage = JSON.parse(readFileSync(join(coverageFolder, name), "utf8")) as Coverage;
  const isSupervisor = coverage.result.some(({ url }) => url.endsWith(`/${PARTS.stack}`));
  if (isSupervisor || coverage.result.some(({ url }) => url.endsWith("prepare.mjs")))
    for (const [file, count] of filesOf(coverage)) files.set(file, count);
}
report("npm start (prepare and supervisor)", files);
await rm(folder, { recursive: true, force: true });
await rm(coverageFolder, { recursive: true, force: true });
process.exit();

function childrenOf(pid: number): number[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]) }];
      } catch {
        return [];
      }
    });
  const found = [pid];
  for (let at = 0; at < found.length; at++)
    found.push(...all.filter(({ parent }) => parent === found[at]).map((each) => each.pid));
  return found;
}
