import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { layOutEmbedded } from "./lay-out-embedded.ts";

describe("a new embedded database", () => {
  it("is complete, also after an interrupted start, and leaves no other files", async () => {
    const parent = await temporaryFolder();
    const folder = join(parent, "data", "postgres");
    await mkdir(`${folder}.new/base`, { recursive: true });
    await layOutEmbedded(folder);
    expect(await readdir(folder)).toEqual(expect.arrayContaining(["PG_VERSION", "base", "global", "pg_wal"]));
    expect(await readdir(join(parent, "data"))).toEqual(["postgres"]);
  });

  it("does not overwrite an existing database or anything else", async () => {
    for (const name of ["PG_VERSION", "something"]) {
      const folder = join(await temporaryFolder(), "postgres");
      await mkdir(folder);
      await writeFile(join(folder, name), "kept");
      await layOutEmbedded(folder);
      expect(await readdir(folder)).toEqual([name]);
      expect(existsSync(`${folder}.new`)).toBe(false);
    }
  });

  it("is created on opening when there is no place for a template", async () => {
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
