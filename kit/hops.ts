import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../stack/servers/free-port.ts";
import { attach, type Coverage, filesOf, filesOfEach, idleCalls, pidOf, report } from "./hop-coverage.ts";

/**
 * `npm run hops`: which files of the project run for one admitted request, one poll, one order and one `npm start`, by
 * V8's own count of function calls in the running processes. A folder switch is an import between two files of the
 * list that are in different folders.
 */
const root = process.cwd();
const PARTS = { edge: "edge/node.ts", origin: "origin/main.ts", stack: "stack/main.ts" } as const;
const SAMPLES = 5;
const DEMO_ATTEMPTS_MAX = 3;
/** It has printed how to sign in and how to look at the wallet. */
const DEMO_IS_READY = /"username":"demo_[\s\S]*curl[\s\S]*wallet/;

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
  env: {
    ...environment,
    NODE_OPTIONS: "--inspect-port=0",
    NODE_V8_COVERAGE: coverageFolder,
    NODE_DISABLE_COMPILE_CACHE: "1",
  },
  stdio: ["ignore", "pipe", "pipe"],
});
stack.stderr?.pipe(process.stderr);
await untilHealthy();
try {
  const edge = await attach(folder, "edge", pidOf(PARTS.edge));
  const inside = await admittedCookie();
  const page = async () => (await fetch(`${base}/demo/`, { headers: { cookie: inside } })).text();
  report("An admitted request (edge)", await filesOfEach(edge, { prepare: page, request: page, samples: SAMPLES }));

  const waiting = await waitingCookies(SAMPLES);
  const poll = async () => {
    const headers = { cookie: waiting.pop() ?? "" };
    const res = await fetch(`${base}/_sluice/queues/demo/heartbeat`, { method: "POST", headers });
    if (!res.ok) throw new Error(`a poll was refused: ${await res.text()}`);
    await res.text();
  };
  report("A poll (edge)", await filesOfEach(edge, { prepare: page, request: poll, samples: SAMPLES }));

  const told = await runDemo();
  const [, username = "", password = ""] = /"username":"(demo_\w+)","password":"([^"]+)"/.exec(told) ?? [];
  const { cookie } = await enter("venue");
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
  // From npm down to the supervisor, which stops its parts.
  stopAll(stack.pid ?? 0, "SIGINT");
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

async function untilHealthy(): Promise<void> {
  for (;;) {
    const res = await fetch(`${base}/_sluice/health`).catch(() => undefined);
    await res?.arrayBuffer();
    if (res?.ok) return;
    if (stack.exitCode !== null) throw new Error("npm start has ended");
    await sleep(300);
  }
}

function cookiesOf(res: Response): string {
  const pairs = res.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
  return pairs.filter((pair) => !pair.endsWith("=")).join("; ");
}

type Entered = { readonly cookie: string; readonly pollAfterMs: number };

async function enter(queueId: string): Promise<Entered> {
  const res = await fetch(`${base}/_sluice/queues/${queueId}/enter`, { method: "POST" });
  const { pollAfterMs = 0 } = (await res.json()) as { readonly pollAfterMs?: number };
  return { cookie: cookiesOf(res), pollAfterMs };
}

/** The first pass is replaced when it is presented: a visitor's browser sends the second one from then on. */
async function admittedCookie(): Promise<string> {
  const { cookie } = await enter("demo");
  const res = await fetch(`${base}/demo/`, { headers: { cookie } });
  await res.text();
  return cookiesOf(res) || cookie;
}

/** In a line that does not move, so that a poll is answered with a place; returns when their polls are due. */
async function waitingCookies(count: number): Promise<string[]> {
  const { adminToken } = JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8")) as { adminToken: string };
  const headers = { "content-type": "application/json", authorization: `Bearer ${adminToken}` };
  const body = JSON.stringify({ mode: "paused" });
  const res = await fetch(`${base}/_sluice/admin/queues/demo`, { method: "PATCH", headers, body });
  if (!res.ok) throw new Error(`the line does not pause: ${await res.text()}`);
  const visitors: Entered[] = [];
  for (let visitor = 0; visitor < count; visitor++) visitors.push(await enter("demo"));
  await sleep(Math.max(...visitors.map(({ pollAfterMs }) => pollAfterMs)));
  return visitors.map(({ cookie }) => cookie);
}

/** The demo makes an account with money. On a slow machine it may give up, and is started again. */
async function runDemo(): Promise<string> {
  for (let attempt = 0; attempt < DEMO_ATTEMPTS_MAX; attempt++) {
    const demo = spawn("npm", ["run", "sluice", "--", "demo"], {
      cwd: root,
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let told = "";
    demo.stdout?.on("data", (chunk) => {
      told += String(chunk);
    });
    while (demo.exitCode === null && !DEMO_IS_READY.test(told)) await sleep(200);
    stopAll(demo.pid ?? 0, "SIGTERM");
    if (DEMO_IS_READY.test(told)) return told;
  }
  throw new Error("the demo cannot run");
}

/** The processes below this one and itself; one that has ended meanwhile needs no signal. */
function stopAll(pid: number, signal: "SIGINT" | "SIGTERM"): void {
  for (const each of descendantsOf(pid).toReversed()) {
    try {
      process.kill(each, signal);
    } catch {
      // It has ended.
    }
  }
}

function descendantsOf(pid: number): number[] {
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
