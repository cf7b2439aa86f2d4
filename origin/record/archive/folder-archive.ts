import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Archive } from "./order-archive.ts";

/** The archive as a folder. A file gets its name once it is completely on disk. */
export function folderArchive(folder: string): Archive {
  return {
    async put(path, content) {
      const target = join(folder, path);
      const unfinished = `${target}.part`;
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      const file = await open(unfinished, "w", 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, target);
    },
    get: (path) => readFile(join(folder, path)),
  };
}
