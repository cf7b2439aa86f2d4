import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

it.each([
  ["test/sim/main.ts", ["--help"]],
  ["test/sim/main.ts", ["engine", "--seeds", "many"]],
  ["test/sim/main.ts", ["engines"]],
  ["load/bench/main.ts", ["--help"]],
])("%s %j is told how it is used", (file, args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", "./origin/lua-loader.ts", file, ...args], {
    cwd: root,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, ""]);
  expect(stdout).toContain("npm run");
});
