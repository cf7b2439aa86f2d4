import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import {
  launchStack,
  processesOf,
  processNamed,
  SLOW_MACHINE_MS,
  type StartedStack,
  startStack,
} from "../../kit/running-stack.ts";
import { steadyNowMs } from "../../kit/steady-clock.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";

const STOP_WITHIN_MS = 5_000;
/**
 * A report is a second old at most, and so is what the origin says of its stores; then a part has most of a second to
 * answer.
 */
const HEALTH_SEEN_WITHIN_MS = 4_000;

async function health(stack: StartedStack) {
  const response = await fetch(`${stack.url}/_sluice/health`);
  return {
    status: response.status,
    report: (await response.json()) as { status: string; down: string[]; parts: { name: string; state: string }[] },
  };
}

async function venueRedis(stack: StartedStack, folder: string): Promise<Redis> {
  const secrets = JSON.parse(await readFile(join(folder, "secrets.json"), "utf8")) as { venueRedisPassword: string };
  return new Redis({ port: stack.ports.venueRedis, host: "127.0.0.1", password: secrets.venueRedisPassword });
}

async function stopAndTime(stack: StartedStack): Promise<{ code: number | null; tookMs: number }> {
  const startedAt = steadyNowMs();
  stack.process.kill("SIGINT");
  return { code: await stack.exited, tookMs: steadyNowMs() - startedAt };
}

/**
 * A new database takes most of a start's time, so that the tests share a folder, and what runs on it as long as it
 * does.
 */
const folder = await temporaryFolder();
let running: StartedStack | undefined;

async function runningStack(): Promise<StartedStack> {
  const { exitCode, signalCode } = running?.process ?? {};
  return running !== undefined && exitCode === null && signalCode === null ? running : startAnew();
}

/** Also after a test that failed before it could end the one it had. */
async function startAnew(options: { readonly isBehindShell?: boolean } = {}): Promise<StartedStack> {
  running?.process.kill("SIGKILL");
  await expect.poll(() => processesOf(folder)).toEqual([]);
  running = await startStack({ folder, ...options });
  return running;
}

describe("npm start", { timeout: SLOW_MACHINE_MS }, () => {
  it("comes up whole, says what runs where, keeps its data across starts, and leaves no process", async () => {
    const first = await runningStack();
    const { status, report } = await health(first);
    expect(status).toBe(200);
    const names = [
      "edge",
      "store",
      "origin",
      "venueStore",
      "database",
      "engine",
      "projections",
      "ledger",
      "venueMemory",
      "marketData",
    ];
    expect(report.parts).toMatchObject(names.map((name) => ({ name, state: "ok" })));
    for (const port of Object.values(first.ports)) expect(first.output()).toContain(`127.0.0.1:${port}`);
    expect(first.output()).toContain("secrets.json (adminToken)");
    const logged = (await readFile(join(folder, "logs", "origin.log"), "utf8")).split("\n");
    expect(logged.filter((line) => /"level":"(?:error|fatal)"/.test(line))).toEqual([]);
    const writer = await venueRedis(first, folder);
    await writer.set("kept", "yes");
    writer.disconnect();
    const { code, tookMs } = await stopAndTime(first);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(STOP_WITHIN_MS);
    expect(processesOf(folder)).toEqual([]);

    const reader = await venueRedis(await runningStack(), folder);
    expect(await reader.get("kept")).toBe("yes");
    reader.disconnect();
  });

  it("answers 503 within about three seconds and names the part that is silent, then recovers by itself", async () => {
    const stack = await runningStack();
    const silence = async (part: string, expected: readonly string[]) => {
      const { pid } = processNamed(folder, part);
      process.kill(pid, "SIGSTOP");
      try {
        const seen = async () => {
          const { status, report } = await health(stack);
          return { part, status, down: report.down };
        };
        await expect.poll(seen, { timeout: HEALTH_SEEN_WITHIN_MS }).toEqual({ part, status: 503, down: expected });
      } finally {
        process.kill(pid, "SIGCONT");
      }
      await expect.poll(async () => (await health(stack)).status).toBe(200);
    };
    await silence(`redis-server 127.0.0.1:${stack.ports.lineRedis}`, ["store"]);
    await silence("bridge/main.ts", ["store"]);
    await silence(`redis-server 127.0.0.1:${stack.ports.venueRedis}`, ["venueStore"]);
    await silence("origin/main.ts", ["origin"]);
  });

  it("refuses a second stack on its data folder", async () => {
    await runningStack();
    const second = await launchStack({ folder });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain("Sluice already runs on");
  });

  it("runs twice side by side, goes down whole with a reason when one part dies, and leaves no process when it is killed outright", async () => {
    const other = await temporaryFolder();
    const [left, right] = await Promise.all([runningStack(), startStack({ folder: other })]);
    process.kill(processNamed(folder, "workerd serve").pid, "SIGKILL");
    expect(await left.exited).toBe(1);
    expect(left.output()).toContain("edge was ended by SIGKILL");
    expect(processesOf(folder)).toEqual([]);
    expect((await health(right)).status).toBe(200);
    right.process.kill("SIGKILL");
    await right.exited;
    await expect.poll(() => processesOf(other)).toEqual([]);
  });

  it("stops in order when its terminal and its shell are gone, also if a part takes its time", async () => {
    const stack = await startAnew({ isBehindShell: true });
    const logOf = (part: string) => readFile(join(folder, "logs", `${part}.log`), "utf8");
    const before = {
      "line-redis": (await logOf("line-redis")).length,
      "venue-redis": (await logOf("venue-redis")).length,
    };
    process.kill(processNamed(folder, "bridge/main.ts").pid, "SIGSTOP");
    stack.process.stdout?.destroy();
    stack.process.stderr?.destroy();
    stack.process.kill("SIGKILL");
    await expect.poll(() => processesOf(folder)).toEqual([]);
    for (const [part, length] of Object.entries(before)) expect((await logOf(part)).slice(length)).toContain("bye bye");
    expect(await readdir(folder)).not.toContain("stack.pid");
  });
});

describe.concurrent("npm start refuses", { timeout: SLOW_MACHINE_MS }, () => {
  it("a port in use, and says which variable moves it", async () => {
    const squatter = createServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    const port = (squatter.address() as { port: number }).port;
    const stack = await launchStack({
      folder: await temporaryFolder(),
      environment: { SLUICE_ORIGIN_PORT: String(port) },
    });
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toContain(
      `Port ${port} for origin is in use: stop the program that listens there, or set SLUICE_ORIGIN_PORT to another.`,
    );
    squatter.close();
  });

  it("bad settings, all of them in one go and without repeating a value", async () => {
    const environment = { SLUICE_PORT: "hunter2", DATABASE_URL: "hunter2", REDIS_URL: "hunter2", SLUICE_EDGE: "deno" };
    const stack = await launchStack({ folder: await temporaryFolder(), environment });
    expect(await stack.exited).toBe(1);
    for (const name of Object.keys(environment)) expect(stack.output()).toContain(`${name}: must be`);
    expect(stack.output()).not.toContain("hunter2");
  });

  it("a machine without redis-server where it may not install one, in one sentence", async () => {
    const stack = await launchStack({
      folder: await temporaryFolder(),
      environment: { SLUICE_NO_INSTALL: "1", PATH: "/nowhere" },
    });
    expect(await stack.exited).toBe(1);
    expect(stack.output().trim()).toMatch(/^Sluice needs redis-server or valkey-server on the PATH: install it .*$/);
  });
});
