import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder of this test file alone, removed with all its content when the file is done. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-test-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
