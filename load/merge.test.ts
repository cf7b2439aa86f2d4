import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../shared/clock.ts";
import { mergeScenario } from "./merge.ts";
import { sampleRecord } from "./record/sample-record.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-merge-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const progress = { say: () => {}, show: () => {}, end: () => {} };

async function file(name: string, shard: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify({ ...sampleRecord(), shard }));
  return path;
}

async function merged(...paths: readonly string[]) {
  const planned = mergeScenario.plan(paths);
  if (!planned.ok) throw new Error(planned.reason.join("; "));
  return planned.value({ signal: new AbortController().signal, progress, clock: systemClock });
}

describe("merge", () => {
  it("merges the reports of all parts into one run", async () => {
    const record = await merged(await file("one.json", "1/2"), await file("two.json", "2/2"));
    expect(record).toMatchObject({ scenario: "crowd-merged", shard: "1/1", orders: { sent: 200 } });
    expect(record.visitors.arrivedMs).toHaveLength(1_200);
  });

  it("refuses to merge a run with itself or with another one", async () => {
    const one = await file("one.json", "1/2");
    await expect(merged(one, one)).rejects.toThrow("these are not parts of one run: crowd 1/2, crowd 1/2");
    await expect(merged(one, await file("other.json", "2/3"))).rejects.toThrow("not parts of one run");
  });

  it("names a file that is no record", async () => {
    const path = join(folder, "else.json");
    await writeFile(path, '{"version":2}');
    await expect(merged(path, path)).rejects.toThrow(`${path} is not the record of a run`);
  });

  it("refuses a record of an older format in one sentence", async () => {
    const path = join(folder, "older.json");
    await writeFile(path, '{"version":1,"scenario":"crowd"}');
    const sentence = `${path} is a record of format 1, and this load kit reads format 2: run the load again`;
    await expect(merged(path, path)).rejects.toThrow(sentence);
  });

  it("needs two files", () => {
    expect(mergeScenario.plan(["one.json"])).toMatchObject({ ok: false });
    expect(mergeScenario.plan(["--fast", "one.json", "two.json"])).toEqual({
      ok: false,
      reason: ["--fast: no such option"],
    });
  });
});
