import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const folders: string[] = [];

// Registered while the test file loads: inside a test it would be too late.
afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 3 })));
});

/** A folder for this test file, removed with all its content when the file is done. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-test-"));
  folders.push(folder);
  return folder;
}
