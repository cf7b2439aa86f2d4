import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { describeExit, startChild } from "./child.ts";

const sh = (script: string) => ({ name: "part", command: "/bin/sh", args: ["-c", script] });

describe("startChild", () => {
  it("reports how a child ended, with its last output lines", async () => {
    const child = startChild(sh("echo first; echo 'disk is full' >&2; exit 3"));
    const exit = await child.exited;
    expect(describeExit(child.name, exit)).toMatch(/^part exited with code 3\. Its last lines:\n/);
    expect(exit.lastLines.toSorted()).toEqual(["disk is full", "first"]);
  });

  it("names the signal that ended a child", async () => {
    const child = startChild(sh("kill -9 $$"));
    expect(describeExit(child.name, await child.exited)).toContain("part was ended by SIGKILL");
  });

  it("reports a program that cannot be started", async () => {
    const child = startChild({ name: "part", command: "/nowhere/program", args: [] });
    expect(describeExit(child.name, await child.exited)).toMatch(/No such file|ENOENT|failed to execute/);
  });

  it("kills a child that ignores SIGTERM", async () => {
    const child = startChild({
      ...sh("trap '' TERM; echo ready >&3; while :; do sleep 0.05; done"),
      stopWithinMs: 100,
    });
    await once(child.reports, "data");
    await child.stop();
    expect(await child.exited).toMatchObject({ signal: "SIGKILL" });
  });

  it("keeps the whole output in the log file", async () => {
    const logFile = join(await temporaryFolder(), "part.log");
    const child = startChild({ ...sh("seq 1 40"), logFile });
    await child.exited;
    await expect.poll(async () => (await readFile(logFile, "utf8")).split("\n").length).toBe(41);
  });

  it("ends with its parent even when that is killed with SIGKILL", async () => {
    const url = new URL("./child.ts", import.meta.url).href;
    const script = `import { writeSync } from "node:fs"; import { startChild } from "${url}";
      writeSync(3, String(startChild({ name: "grandchild", command: "/bin/sleep", args: ["60"] }).pid)); setInterval(() => {}, 1000);`;
    const parent = startChild({
      name: "parent",
      command: process.execPath,
      args: ["--input-type=module", "-e", script],
    });
    const [pid] = (await once(parent.reports, "data")) as [Buffer];
    process.kill(parent.pid, "SIGKILL");
    await parent.exited;
    // An orphan's entry stays until init has reaped it, which may take a moment.
    await expect.poll(() => isAlive(Number(pid.toString()))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
