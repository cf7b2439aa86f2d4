import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { steadyNowMs } from "../kit/steady-clock.ts";
import { until } from "../kit/test-bridge.ts";
import { freePort } from "../stack/servers/free-port.ts";

const MAIN_FILE = fileURLToPath(new URL("./main.ts", import.meta.url));
const TOKEN = "a-token-of-the-main-test";
let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill("SIGKILL");
});

function start(environment: Readonly<Record<string, string>>): ChildProcess {
  child = spawn(process.execPath, [MAIN_FILE], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return child;
}

async function outcome(environment: Readonly<Record<string, string>>): Promise<{ code: unknown; output: string }> {
  const started = start(environment);
  const [output, [code]] = await Promise.all([text(started.stdout ?? new ReadableStream()), once(started, "close")]);
  return { code, output };
}

it("reports every fault of its environment at once and exits with a code", async () => {
  const { code, output } = await outcome({
    REDIS_URL: "http://x:secret-in-a-url@host",
    SLUICE_BRIDGE_PORT: "70000",
    SLUICE_BRIDGE_TOKEN: "short",
    SLUICE_BRIDGE_ALLOW: "KEYS,MULTI",
    SLUICE_BRIDGE_CLUSTER: "yes",
  });
  expect(code).toBe(1);
  for (const name of [
    "REDIS_URL",
    "SLUICE_BRIDGE_PORT",
    "SLUICE_BRIDGE_TOKEN",
    "SLUICE_BRIDGE_ALLOW",
    "SLUICE_BRIDGE_CLUSTER",
  ]) {
    expect(output).toContain(name);
  }
  expect(output).not.toContain("secret-in-a-url");
});

it.each([
  ["a second server without a cluster", { REDIS_URL: "redis://a,redis://b" }],
  ["two tokens that are one", { SLUICE_BRIDGE_READ_ONLY_TOKEN: TOKEN }],
  ["no token", { SLUICE_BRIDGE_TOKEN: "" }],
])("does not start with %s", async (_name, wrong) => {
  const { code } = await outcome({
    REDIS_URL: "redis://127.0.0.1:1",
    SLUICE_BRIDGE_TOKEN: TOKEN,
    SLUICE_BRIDGE_PORT: String(await freePort()),
    ...wrong,
  });
  expect(code).toBe(1);
});

it("listens while its Redis is unavailable, logs it without its password, and exits on SIGTERM", async () => {
  const port = await freePort();
  const environment = {
    REDIS_URL: `redis://:the-password@127.0.0.1:${await freePort()}`,
    SLUICE_BRIDGE_TOKEN: TOKEN,
    SLUICE_BRIDGE_PORT: String(port),
  };
  const running = outcome(environment);
  await until(async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.status === 503);
  const stoppedAt = steadyNowMs();
  child?.kill("SIGTERM");
  const { code, output } = await running;
  expect(steadyNowMs() - stoppedAt).toBeLessThan(2_000);
  expect(code).toBe(0);
  expect(output).toContain("redis cannot be reached");
  expect(output).not.toContain("the-password");
});
