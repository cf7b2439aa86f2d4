import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { includesOf, sourceText } from "./source-text.ts";

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

it("puts a piece where it is first included, and its own pieces before it, each once", async () => {
  const folder = await folderWith({
    "script.lua": '-- Header\n-- @include "b"\n-- @include "a"\nreturn a + b\n',
    "a.lua": "local a = 1\n",
    "b.lua": '-- @include "a"\nlocal b = a\n',
  });
  expect(sourceText(join(folder, "script.lua"))).toBe("-- Header\nlocal a = 1\nlocal b = a\nreturn a + b\n");
  expect(includesOf(join(folder, "script.lua"))).toEqual([join(folder, "b.lua"), join(folder, "a.lua")]);
});

it("refuses a piece that does not exist, and pieces that include each other", async () => {
  const folder = await folderWith({
    "lost.lua": '-- @include "missing"\n',
    "one.lua": '-- @include "two"\n',
    "two.lua": '-- @include "one"\n',
  });
  expect(() => sourceText(join(folder, "lost.lua"))).toThrow("missing.lua");
  expect(() => sourceText(join(folder, "one.lua"))).toThrow("include each other");
});

it("leaves SQL as it is", async () => {
  const folder = await folderWith({ "one.sql": '-- @include "two"\nSELECT 1\n' });
  expect(sourceText(join(folder, "one.sql"))).toBe('-- @include "two"\nSELECT 1\n');
});
