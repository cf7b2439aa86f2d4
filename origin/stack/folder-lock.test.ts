import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/parts/temporary-folder.ts";
import { startChild } from "./child.ts";
import { lockFolder } from "./folder-lock.ts";

describe("lockFolder", () => {
  it("refuses a folder that a running stack holds, and names its process", async () => {
    const folder = await temporaryFolder();
    const other = startChild({
      name: "other",
      command: process.execPath,
      args: ["-e", "setInterval(() => {}, 1000)", "origin/stack/main.ts"],
    });
    await writeFile(join(folder, "stack.pid"), String(other.pid));
    await expect(lockFolder(folder)).rejects.toThrow(`process ${other.pid}`);
    await other.stop();
    const lock = await lockFolder(folder);
    await lock.release();
  });

  it("takes over from a stack that was killed, and from a pid that now belongs to another program", async () => {
    const folder = await temporaryFolder();
    const stranger = startChild({ name: "stranger", command: "/bin/sleep", args: ["30"] });
    for (const stale of [String(stranger.pid), "999999999", "", "rubbish"]) {
      await writeFile(join(folder, "stack.pid"), stale);
      const lock = await lockFolder(folder);
      await lock.release();
    }
    await stranger.stop();
  });
});
