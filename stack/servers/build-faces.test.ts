import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { buildFaces, type Face } from "./build-faces.ts";

const FACE: Face = { name: "page", entry: "edge/page/client/main.ts", script: "PAGE_SCRIPT", style: "PAGE_STYLE" };

it("rebuilds only changed entries, and keeps the last good build when a new one fails", async () => {
  const root = await temporaryFolder();
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  };
  const built = () => readFile(join(root, "edge/built/page.ts"), "utf8");
  await write("package-lock.json", "{}");
  await write("edge/page/client/page.css", "p { color: rgb(1 2 3) }");
  await write("edge/page/client/word.ts", 'export const word: string = "first";');
  await write(
    "edge/page/client/main.ts",
    'import "./page.css";\nimport { word } from "./word.ts";\ndocument.title = word;',
  );

  expect(await buildFaces(root, [FACE])).toEqual(["page"]);
  expect(await built()).toMatch(
    /export const PAGE_SCRIPT: string = ".*first.*";\nexport const PAGE_STYLE: string = "p\{.*\}";\n$/,
  );
  expect(await buildFaces(root, [FACE])).toEqual([]);

  await write("edge/page/client/word.ts", 'export const word: string = "second";');
  expect(await buildFaces(root, [FACE])).toEqual(["page"]);
  expect(await built()).toContain("second");
  await write("edge/page/client/page.css", "p { color: rgb(4 5 6) }");
  expect(await buildFaces(root, [FACE])).toEqual(["page"]);
  await write("package-lock.json", '{"other":true}');
  expect(await buildFaces(root, [FACE])).toEqual(["page"]);

  await write("edge/page/client/word.ts", "export const word: string = ;");
  await expect(buildFaces(root, [FACE])).rejects.toThrow();
  expect(await built()).toContain("second");
});
