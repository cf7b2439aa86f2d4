import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processesOf, SLOW_MACHINE_MS } from "../kit/running-stack.ts";
import { temporaryFolder } from "../kit/temporary-folder.ts";
import type { RunRecord } from "./record/run-record.ts";
import { runLoad } from "./run-load.ts";

describe("npm run load", { timeout: SLOW_MACHINE_MS }, () => {
  it("prints its scenarios and options, and reports every wrong option before it starts anything", async () => {
    const help = await runLoad(["--help"]);
    expect([help.code, /crowd/.test(help.output), /abuse/.test(help.output)]).toEqual([0, true, true]);
    const crowdHelp = await runLoad(["crowd", "--help"]);
    expect([crowdHelp.code, /--visitors N/.test(crowdHelp.output)]).toEqual([0, true]);
    const wrong = await runLoad(["crowd", "--visitors", "none", "--curve", "zigzag"]);
    expect(wrong.code).toBe(1);
    expect(wrong.output).toContain("--visitors: must be a whole number");
    expect(wrong.output).toContain("--curve: must be spike, ramp or steady");
    expect((await runLoad(["party"])).output).toContain("party: no such scenario");
  });

  it("ends on Ctrl-C with the record so far, and leaves no stack behind", async () => {
    const out = await temporaryFolder();
    let isStopped = false;
    const args = ["crowd", "--visitors", "200", "--over", "30", "--stay", "60", "--edge", "node", "--out", out];
    const temp = await temporaryFolder();
    const { code, output } = await runLoad(args, { TMPDIR: temp }, (text, stop) => {
      if (isStopped || !/admitted [1-9]/.test(text)) return;
      isStopped = true;
      stop();
    });
    expect([0, 1], output).toContain(code);
    const [folder = ""] = await readdir(out);
    const file = (await readdir(join(out, folder))).find((name) => name.endsWith(".json")) ?? "";
    const record = JSON.parse(await readFile(join(out, folder, file), "utf8")) as RunRecord;
    expect(record).toMatchObject({ scenario: "crowd", wasInterrupted: true, shard: "1/1" });
    expect(record.visitors.admittedMs.filter((at) => at !== -1).length).toBeGreaterThan(0);
    expect(record.visitors.arrivedMs.length).toBeLessThan(200);
    expect(processesOf(temp)).toEqual([]);
    expect(await readdir(temp)).toEqual([]);
  });
});
