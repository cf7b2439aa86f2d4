import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

function sluice(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "./stack/program/lua-loader.ts", "origin/operators/main.ts", ...args],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  return { code: status, said: stdout + stderr };
}

it("npm run sluice lists every command, and names what it did not understand", () => {
  const help = sluice("--help");
  expect(help.code).toBe(0);
  for (const command of ["demo", "admin create", "queues export", "queues apply", "audit", "backup", "restore"])
    expect(help.said).toContain(command);
  expect(sluice()).toEqual({ ...help, code: 2 });
  expect(sluice("que")).toEqual({
    code: 2,
    said: "que: unknown command; npm run sluice -- --help lists the commands.\n",
  });
  for (const command of ["demo", "admin", "queues", "audit", "backup", "restore"]) {
    const own = sluice(command, "--help");
    expect([command, own.code]).toEqual([command, 0]);
    expect(own.said).toContain("npm run sluice -- ");
    expect(own.said).not.toBe(help.said);
  }
});
