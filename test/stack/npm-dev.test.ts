import { utimes } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { processesOf, processNamed, SLOW_MACHINE_MS, startStack } from "../../kit/running-stack.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";

const RELOAD_WITHIN_MS = 20_000;

/** As an editor's save looks to a watcher, without changing a byte. */
async function save(file: string): Promise<void> {
  const now = new Date();
  await utimes(fileURLToPath(new URL(`../../${file}`, import.meta.url)), now, now);
}

it("npm run dev takes up a change in what it concerns, and is whole again after it", {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  const folder = await temporaryFolder();
  const stack = await startStack({ folder, args: ["--watch"] });
  const healthStatus = () =>
    fetch(`${stack.url}/_sluice/health`).then(
      (response) => response.status,
      () => 0,
    );
  const originBefore = processNamed(folder, "origin/main.ts").pid;
  const bridgeBefore = processNamed(folder, "bridge/main.ts").pid;

  await save("edge/app.ts");
  await expect.poll(() => stack.output(), { timeout: RELOAD_WITHIN_MS }).toContain("↻ edge");
  await expect.poll(healthStatus, { timeout: RELOAD_WITHIN_MS }).toBe(200);
  expect(processNamed(folder, "origin/main.ts").pid).toBe(originBefore);

  await save("origin/app.ts");
  await expect.poll(() => stack.output(), { timeout: RELOAD_WITHIN_MS }).toContain("↻ origin");
  await expect.poll(healthStatus, { timeout: RELOAD_WITHIN_MS }).toBe(200);
  expect(processNamed(folder, "origin/main.ts").pid).not.toBe(originBefore);
  expect(processNamed(folder, "bridge/main.ts").pid).toBe(bridgeBefore);

  await save("bridge/bridge.ts");
  await expect.poll(() => stack.output(), { timeout: RELOAD_WITHIN_MS }).toContain("↻ bridge");
  await expect.poll(healthStatus, { timeout: RELOAD_WITHIN_MS }).toBe(200);
  expect(processNamed(folder, "bridge/main.ts").pid).not.toBe(bridgeBefore);

  stack.process.kill("SIGINT");
  expect(await stack.exited).toBe(0);
  expect(processesOf(folder)).toEqual([]);
});
