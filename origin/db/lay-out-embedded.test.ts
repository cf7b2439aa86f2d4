import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/parts/temporary-folder.ts";
import { layOutEmbedded } from "./lay-out-embedded.ts";

describe("a new embedded database", () => {
  it("begins whole, also where an earlier start was cut short, and leaves nothing beside it", async () => {
    const parent = await temporaryFolder();
    const folder = join(parent, "data", "postgres");
    await mkdir(`${folder}.new/base`, { recursive: true });
    await layOutEmbedded(folder);
    expect(await readdir(folder)).toEqual(expect.arrayContaining(["PG_VERSION", "base", "global", "pg_wal"]));
    expect(await readdir(join(parent, "data"))).toEqual(["postgres"]);
  });

  it("is not laid over one that is there, nor over anything else", async () => {
    for (const name of ["PG_VERSION", "something"]) {
      const folder = join(await temporaryFolder(), "postgres");
      await mkdir(folder);
      await writeFile(join(folder, name), "kept");
      await layOutEmbedded(folder);
      expect(await readdir(folder)).toEqual([name]);
      expect(existsSync(`${folder}.new`)).toBe(false);
    }
  });

  it("is left to be made where it is opened when there is no place to keep a pattern", async () => {
    const parent = await temporaryFolder();
    await writeFile(join(parent, "no-folder"), "");
    await layOutEmbedded(join(parent, "postgres"), join(parent, "no-folder"));
    expect(await readdir(parent)).toEqual(["no-folder"]);
  });

  it("does not hide a failure that has another reason", async () => {
    const parent = await temporaryFolder();
    await expect(layOutEmbedded(join(parent, "postgres"), "\0")).rejects.toThrow("null bytes");
    expect(await readdir(parent)).toEqual([]);
  });
});
