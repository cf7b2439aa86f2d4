import { readFile } from "node:fs/promises";
import { fail, ok } from "../shared/result.ts";
import type { Scenario } from "./options/scenario.ts";
import { mergeRecords } from "./record/merge-records.ts";
import { RecordVersionError, readRecord } from "./record/read-record.ts";
import type { RunRecord } from "./record/run-record.ts";

/** `npm run load -- merge A.json B.json …`: the verdict and report of several records. */
export const mergeScenario: Scenario = {
  name: "merge",
  summary: "merges the reports of several machines: merge A/report.json B/report.json …",
  options: {},
  plan(args) {
    const flags = args.filter((arg) => arg.startsWith("-"));
    if (flags.length > 0) return fail(flags.map((flag) => `${flag}: no such option`));
    const [first, ...others] = args;
    if (first === undefined || others.length === 0) return fail(["merge needs the report.json of two runs or more"]);
    return ok(async () => {
      const one = await readRecordFile(first);
      const rest = await Promise.all(others.map(readRecordFile));
      assertParts([one, ...rest]);
      const merged = mergeRecords([one, ...rest]);
      // Goes to its own folder, beside those of the parts.
      return { ...merged, scenario: `${one.scenario}-merged` };
    });
  },
};

/** A record merged with itself or with another run gives wrong figures. */
function assertParts(records: readonly RunRecord[]): void {
  const shards = records.map(({ shard }) => shard);
  const parts = shards.flatMap((shard) => (shard.split("/")[0] ?? "").split("+"));
  const isOneRun = new Set(records.map(({ scenario, shard }) => `${scenario} ${shard.split("/")[1]}`)).size === 1;
  if (isOneRun && new Set(parts).size === parts.length) return;
  throw new Error(
    `these are not parts of one run: ${records.map(({ scenario, shard }) => `${scenario} ${shard}`).join(", ")}`,
  );
}

async function readRecordFile(path: string): Promise<RunRecord> {
  const text = await readFile(path, "utf8");
  try {
    return readRecord(text);
  } catch (error) {
    if (error instanceof RecordVersionError) throw new Error(`${path} ${error.message}`, { cause: error });
    throw new Error(`${path} is not the record of a run`, { cause: error });
  }
}
