import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../kit/temporary-folder.ts";
import { systemRandom } from "../shared/ids.ts";
import { loadOrCreateSecrets, SECRETS_FILE } from "./secrets.ts";

describe("loadOrCreateSecrets", () => {
  it("creates secrets once and reads them again", async () => {
    const folder = await temporaryFolder();
    const first = await loadOrCreateSecrets(folder, systemRandom);
    expect(await loadOrCreateSecrets(folder, systemRandom)).toEqual(first);
    expect(new Set(Object.values(first)).size).toBe(Object.keys(first).length);
  });

  it("makes them readable only by their owner, also when the file's mode was widened", async () => {
    const folder = await temporaryFolder();
    await loadOrCreateSecrets(folder, systemRandom);
    const file = join(folder, SECRETS_FILE);
    await chmod(file, 0o644);
    await loadOrCreateSecrets(folder, systemRandom);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("fills in a secret that an older version did not know, and keeps the others", async () => {
    const folder = await temporaryFolder();
    const { adminToken, ...others } = await loadOrCreateSecrets(folder, systemRandom);
    await writeFile(join(folder, SECRETS_FILE), JSON.stringify(others));
    const again = await loadOrCreateSecrets(folder, systemRandom);
    expect(again).toMatchObject(others);
    expect(again.adminToken).not.toBe(adminToken);
  });

  it("refuses a damaged file and leaves it as it is", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, SECRETS_FILE);
    for (const damaged of ["{", "[]", '{"adminToken":"short"}']) {
      await writeFile(file, damaged);
      await expect(loadOrCreateSecrets(folder, systemRandom)).rejects.toThrow(/is damaged.*Fix or remove it/);
      expect(await readFile(file, "utf8")).toBe(damaged);
    }
  });
});
