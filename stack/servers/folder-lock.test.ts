import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { startChild } from "./child.ts";
import { lockFolder } from "./folder-lock.ts";

/** Several starts at the same instants, one instant for each folder; tells how many took each of them. */
async function takenAtOnce(folders: readonly string[], starts: number): Promise<readonly number[]> {
  const beginsAt = Date.now() + 1_000;
  const script = `
    import { writeSync } from "node:fs";
    import { lockFolder } from ${JSON.stringify(new URL("./folder-lock.ts", import.meta.url).href)};
    const taken = [];
    for (const [index, folder] of ${JSON.stringify(folders)}.entries()) {
      while (Date.now() < ${beginsAt} + index * 100);
      taken.push(await lockFolder(folder).then(() => 1, () => 0));
    }
    writeSync(3, taken.join() + "\\n");
    setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "-e", script];
  const children = Array.from({ length: starts }, (_, index) =>
    startChild({ name: `start ${index}`, command: process.execPath, args }),
  );
  const lines = await Promise.all(children.map(({ reports }) => once(createInterface({ input: reports }), "line")));
  await Promise.all(children.map((child) => child.stop()));
  const outcomes = lines.map(([line]) => String(line).split(",").map(Number));
  return folders.map((_, index) => outcomes.reduce((sum, taken) => sum + (taken[index] ?? 0), 0));
}

describe("lockFolder", () => {
  it("refuses a folder that a running stack holds, and names its process", async () => {
    const folder = await temporaryFolder();
    const script = `
      import { writeSync } from "node:fs";
      import { lockFolder } from ${JSON.stringify(new URL("./folder-lock.ts", import.meta.url).href)};
      await lockFolder(${JSON.stringify(folder)});
      writeSync(3, "taken\\n");
      setInterval(() => {}, 1000);`;
    const other = startChild({ name: "other", command: process.execPath, args: ["--input-type=module", "-e", script] });
    await once(createInterface({ input: other.reports }), "line");
    await expect(lockFolder(folder)).rejects.toThrow(`process ${other.pid}`);
    await other.stop();
    const lock = await lockFolder(folder);
    await lock.release();
  });

  it("takes over from a stack that was killed, and from a pid that now belongs to another program", async () => {
    const folder = await temporaryFolder();
    const stranger = startChild({ name: "stranger", command: "/bin/sleep", args: ["30"] });
    for (const stale of [`${stranger.pid} 1`, String(stranger.pid), "999999999 1", "", "rubbish"]) {
      await writeFile(join(folder, "stack.pid"), stale);
      const lock = await lockFolder(folder);
      await lock.release();
    }
    await stranger.stop();
  });

  it("is taken by one of several starts that find the same leftover", async () => {
    const folders = await Promise.all(Array.from({ length: 8 }, temporaryFolder));
    for (const folder of folders) await writeFile(join(folder, "stack.pid"), "999999999");
    expect(await takenAtOnce(folders, 4)).toEqual(folders.map(() => 1));
  });
});
