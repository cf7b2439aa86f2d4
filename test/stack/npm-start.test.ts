import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { launchStack, processesOf, processNamed, type StartedStack, startStack } from "../parts/running-stack.ts";
import { temporaryFolder } from "../parts/temporary-folder.ts";

const STOP_WITHIN_MS = 5_000;

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
  const startedAt = performance.now();
  stack.process.kill("SIGINT");
  return { code: await stack.exited, tookMs: performance.now() - startedAt };
}

describe("npm start", () => {
  it("comes up whole, says what runs where, keeps its data across starts, and leaves no process", async () => {
    const folder = await temporaryFolder();
    const first = await startStack({ folder });
    const { status, report } = await health(first);
    expect(status).toBe(200);
    const names = ["edge", "store", "origin", "venueStore", "database", "engine", "projections"];
    expect(report.parts).toMatchObject(names.map((name) => ({ name, state: "ok" })));
    for (const port of Object.values(first.ports)) expect(first.output()).toContain(`127.0.0.1:${port}`);
    expect(first.output()).toContain("secrets.json (adminToken)");
    const writer = await venueRedis(first, folder);
    await writer.set("kept", "yes");
    writer.disconnect();
    const { code, tookMs } = await stopAndTime(first);
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(STOP_WITHIN_MS);
    expect(processesOf(folder)).toEqual([]);

    const second = await startStack({ folder });
    const reader = await venueRedis(second, folder);
    expect(await reader.get("kept")).toBe("yes");
    reader.disconnect();
    await stopAndTime(second);
  });

  it("runs twice side by side, and goes down whole with a reason when one part dies", async () => {
    const folders = [await temporaryFolder(), await temporaryFolder()] as const;
    const [left, right] = await Promise.all([startStack({ folder: folders[0] }), startStack({ folder: folders[1] })]);
    process.kill(processNamed(folders[0], "workerd serve").pid, "SIGKILL");
    expect(await left.exited).toBe(1);
    expect(left.output()).toContain("edge was ended by SIGKILL");
    expect(processesOf(folders[0])).toEqual([]);
    expect((await health(right)).status).toBe(200);
    right.process.kill("SIGTERM");
    expect(await right.exited).toBe(0);
  });

  it("leaves no process when it is killed outright", async () => {
    const folder = await temporaryFolder();
    const stack = await startStack({ folder });
    stack.process.kill("SIGKILL");
    await stack.exited;
    await expect.poll(() => processesOf(folder), { timeout: 10_000 }).toEqual([]);
  });

  it("stops in order when its terminal and its shell are gone, also if a part takes its time", async () => {
    const folder = await temporaryFolder();
    const stack = await startStack({ folder, isBehindShell: true });
    process.kill(processNamed(folder, "redis-rest/main.ts").pid, "SIGSTOP");
    stack.process.stdout?.destroy();
    stack.process.stderr?.destroy();
    stack.process.kill("SIGKILL");
    await expect.poll(() => processesOf(folder), { timeout: 10_000 }).toEqual([]);
    for (const part of ["line-redis", "venue-redis"])
      expect(await readFile(join(folder, "logs", `${part}.log`), "utf8")).toContain("bye bye");
    expect(await readdir(folder)).not.toContain("stack.pid");
  });

  it("answers 503 within about a second and names the part that is silent, then recovers by itself", async () => {
    const folder = await temporaryFolder();
    const stack = await startStack({ folder });
    const silence = async (part: string, expected: readonly string[]) => {
      const { pid } = processNamed(folder, part);
      process.kill(pid, "SIGSTOP");
      try {
        const { status, report } = await health(stack);
        expect({ part, status, down: report.down }).toEqual({ part, status: 503, down: expected });
      } finally {
        process.kill(pid, "SIGCONT");
      }
      await expect.poll(async () => (await health(stack)).status, { timeout: 10_000 }).toBe(200);
    };
    await silence(`redis-server 127.0.0.1:${stack.ports.lineRedis}`, ["store"]);
    await silence("redis-rest/main.ts", ["store"]);
    await silence(`redis-server 127.0.0.1:${stack.ports.venueRedis}`, ["venueStore"]);
    await silence("origin/main.ts", ["origin"]);
    await stopAndTime(stack);
  });
});

describe("npm start refuses", () => {
  it("a port in use, and says which variable moves it", async () => {
    const squatter = createServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    const port = (squatter.address() as { port: number }).port;
    const stack = await launchStack({ folder: await temporaryFolder(), environment: { SLUICE_ORIGIN_PORT: String(port) } });
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toContain(`Port ${port} for origin is in use: stop what listens there, or set SLUICE_ORIGIN_PORT to another.`);
    squatter.close();
  });

  it("bad settings, all of them in one go and without repeating a value", async () => {
    const environment = { SLUICE_PORT: "hunter2", DATABASE_URL: "hunter2", REDIS_URL: "hunter2" };
    const stack = await launchStack({ folder: await temporaryFolder(), environment });
    expect(await stack.exited).toBe(1);
    for (const name of Object.keys(environment)) expect(stack.output()).toContain(`${name}: must be`);
    expect(stack.output()).not.toContain("hunter2");
  });

  it("a machine without redis-server where it may not install one, in one sentence", async () => {
    const stack = await launchStack({ folder: await temporaryFolder(), environment: { SLUICE_NO_INSTALL: "1", PATH: "/nowhere" } });
    expect(await stack.exited).toBe(1);
    expect(stack.output().trim()).toMatch(/^Sluice needs redis-server or valkey-server on the PATH: install it .*$/);
  });

  it("a second stack on one data folder", async () => {
    const folder = await temporaryFolder();
    const first = await startStack({ folder });
    const second = await launchStack({ folder });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain("Sluice already runs on");
    await stopAndTime(first);
  });
});
