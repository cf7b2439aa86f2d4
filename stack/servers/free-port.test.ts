import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";

const run = promisify(execFile);
const MODULE = new URL("free-port.ts", import.meta.url).href;

/** Both draw the same numbers, one after the other, as if chance had it so. */
const ASK = `
  import { createRequire, syncBuiltinESMExports } from "node:module";
  let drawn = 21_000;
  createRequire("file:///")("node:crypto").randomInt = () => drawn++;
  syncBuiltinESMExports();
  const { freePort } = await import(${JSON.stringify(MODULE)});
  process.stdout.write(String(await freePort()));
  await new Promise((resolve) => process.stdin.once("close", resolve).resume());
`;

it("gives two processes different ports, although neither listens yet", async () => {
  const asked = [1, 2, 3].map(() => run(process.execPath, ["--input-type=module", "--eval", ASK]));
  const told: string[] = ["", "", ""];
  for (const [index, { child }] of asked.entries())
    child.stdout?.on("data", (chunk: Buffer) => (told[index] += String(chunk)));
  await vi.waitFor(() => expect(told).not.toContain(""), { timeout: 40_000 });
  for (const { child } of asked) child.stdin?.end();
  await Promise.all(asked);
  expect(new Set(told).size).toBe(3);
});
