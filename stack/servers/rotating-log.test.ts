import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { startChild } from "./child.ts";
import { openRotatingLog } from "./rotating-log.ts";

const linesOf = async (file: string) => (await readFile(file, "utf8")).split("\n").slice(0, -1);

describe("a rotating log", () => {
  it("keeps every line whole and in order, in files of bounded size", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "part.log");
    const log = openRotatingLog(file, { bytesMax: 10_000, oldFilesMax: 5 });
    const lines = Array.from({ length: 3_500 }, (_, index) => `line ${index} ü`);
    for (const line of lines) log.write(line);
    log.end();
    const written = async () => {
      const names = (await readdir(folder)).sort().reverse();
      return (await Promise.all(names.map((name) => linesOf(join(folder, name))))).flat();
    };
    await expect.poll(written).toEqual(lines);
    expect((await readdir(folder)).sort()).toEqual([
      "part.log",
      "part.log.1",
      "part.log.2",
      "part.log.3",
      "part.log.4",
    ]);
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).size).toBeLessThan(10_000 + 20);
  });

  it("removes the oldest and nothing else", async () => {
    const folder = await temporaryFolder();
    const log = openRotatingLog(join(folder, "part.log"), { bytesMax: 1, oldFilesMax: 2 });
    for (const line of ["one", "two", "three", "four"]) log.write(line);
    log.end();
    const contents = () =>
      Promise.all(["part.log.2", "part.log.1", "part.log"].map((name) => linesOf(join(folder, name))));
    await expect.poll(contents).toEqual([["two"], ["three"], ["four"]]);
    expect(await readdir(folder)).toHaveLength(3);
  });

  it("continues an existing file, and tolerates one that was removed", async () => {
    const file = join(await temporaryFolder(), "part.log");
    const before = openRotatingLog(file, { bytesMax: 8 });
    before.write("first run");
    before.end();
    await expect.poll(() => linesOf(file)).toEqual(["first run"]);
    const log = openRotatingLog(file, { bytesMax: 8 });
    log.write("second run");
    await expect.poll(() => linesOf(file)).toEqual(["second run"]);
    expect(await linesOf(`${file}.1`)).toEqual(["first run"]);
    await rm(file);
    log.write("third");
    await expect.poll(() => linesOf(file)).toEqual(["third"]);
    log.end();
  });

  it("bounds what a child of the stack leaves in its log", { timeout: 60_000 }, async () => {
    const folder = await temporaryFolder();
    const logFile = join(folder, "part.log");
    // 20 MiB of lines.
    const script =
      "i=0; while [ $i -lt 20 ]; do head -c 1048576 /dev/zero | tr '\\\\0' x | fold -w 1023; echo; i=$((i+1)); done; echo last";
    await startChild({ name: "part", command: "/bin/sh", args: ["-c", script], logFile }).exited;
    await expect.poll(async () => (await linesOf(logFile)).at(-1)).toBe("last");
    expect((await readdir(folder)).sort()).toEqual(["part.log", "part.log.1"]);
    expect((await stat(`${logFile}.1`)).size).toBeLessThan(16 * 1024 * 1024 + 2_000);
    const lines = [...(await linesOf(`${logFile}.1`)), ...(await linesOf(logFile))];
    expect(lines.filter((line) => line.length > 1_023)).toEqual([]);
    expect(lines.join("").replace("last", "")).toHaveLength(20 * 1024 * 1024);
  });
});
