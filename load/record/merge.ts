import { readFile } from "node:fs/promises";
import { fail, ok } from "../../shared/result.ts";
import type { Scenario } from "../scenario.ts";
import { mergeRecords } from "./merge-records.ts";
import { readRecord } from "./read-record.ts";
import type { RunRecord } from "./run-record.ts";

/** `npm run load -- merge A.json B.json …`: not a load, but it ends like one, with a verdict and a report. */
export const mergeScenario: Scenario = {
  name: "merge",
  summary: "the reports of several machines as one: merge A/report.json B/report.json …",
  options: {},
  plan(args) {
    const flags = args.filter((arg) => arg.startsWith("-"));
    if (flags.length > 0) return fail(flags.map((flag) => `${flag}: no such option`));
    const [first, ...others] = args;
    if (first === undefined || others.length === 0) return fail(["merge needs the report.json of two runs or more"]);
    return ok(async () => {
      const one = await readRecordFile(first);
      const merged = mergeRecords([one, ...(await Promise.all(others.map(readRecordFile)))]);
      // Lies in a folder of its own, beside those it was made from.
      return { ...merged, scenario: `${one.scenario}-merged` };
    });
  },
};

async function readRecordFile(path: string): Promise<RunRecord> {
  const text = await readFile(path, "utf8");
  try {
    return readRecord(text);
  } catch (error) {
    throw new Error(`${path} is not the record of a run`, { cause: error });
  }
}
