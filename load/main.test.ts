import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { processesOf, SLOW_MACHINE_MS, startStack } from "../test/parts/running-stack.ts";
import { temporaryFolder } from "../test/parts/temporary-folder.ts";
import type { RunRecord } from "./record/run-record.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** As `npm run load` runs it. */
async function load(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  onOutput: (text: string, stop: () => void) => void = () => {},
) {
  const child = spawn(process.execPath, ["origin/stack/prepare.mjs", "load/main.ts", ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const take = (chunk: Buffer) => {
    output += chunk.toString();
    onOutput(output, () => child.kill("SIGINT"));
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

describe("npm run load", { timeout: SLOW_MACHINE_MS }, () => {
  it("says what there is, and all that is wrong with what it was told, before it starts anything", async () => {
    const help = await load(["--help"]);
    expect([help.code, /crowd/.test(help.output), /abuse/.test(help.output)]).toEqual([0, true, true]);
    const crowdHelp = await load(["crowd", "--help"]);
    expect([crowdHelp.code, /--visitors N/.test(crowdHelp.output)]).toEqual([0, true]);
    const wrong = await load(["crowd", "--visitors", "none", "--curve", "zigzag"]);
    expect(wrong.code).toBe(1);
    expect(wrong.output).toContain("--visitors: must be a whole number");
    expect(wrong.output).toContain("--curve: must be spike, ramp or steady");
    expect((await load(["party"])).output).toContain("party: no such scenario");
  });

  it("ends on Ctrl-C with the record of what happened so far, and leaves no stack behind", async () => {
    const out = await temporaryFolder();
    let isStopped = false;
    const args = ["crowd", "--visitors", "200", "--over", "30", "--stay", "60", "--edge", "node", "--out", out];
    const temp = await temporaryFolder();
    const { code, output } = await load(args, { TMPDIR: temp }, (text, stop) => {
      if (isStopped || !/let in [1-9]/.test(text)) return;
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

  it("puts a crowd and trading on a stack that was started apart, watches its line by its own token, and misses neither unsaid", async () => {
    const folder = await temporaryFolder();
    const out = await temporaryFolder();
    const stack = await startStack({ folder });
    try {
      const at = ["--url", stack.url, "--out", out];
      const crowd = await load(["crowd", ...at, "--data-dir", folder, "--visitors", "10", "--over", "1", "--stay", "0.1"]);
      expect(crowd.output).toContain("✓ over-admission");
      expect(crowd.output).toContain("✓ every visit came to an end: 10 of 10");
      const trade = await load(["trade", ...at, "--rate", "20", "--seconds", "1", "--traders", "2"], { SLUICE_DATA_DIR: folder });
      expect(trade.output).toContain("✓ acknowledged orders lost: 0");
      expect(trade.output).toContain("✓ audit: conservation");
      const elsewhere = await load(["crowd", ...at, "--path", "/demo/"]);
      expect([elsewhere.code, elsewhere.output]).toEqual([1, expect.stringContaining("is behind the queue demo, not venue")]);
      const stranger = await load(["crowd", ...at], { SLUICE_ADMIN_TOKEN: "a token of another gate altogether" });
      expect([stranger.code, stranger.output]).toEqual([1, expect.stringContaining("is not a token of this gate")]);
      const nobody = await load(["trade", ...at, "--data-dir", join(out, "none"), "--traders", "1"]);
      expect([nobody.code, nobody.output]).toEqual([1, expect.stringContaining("no venue runs on the data folder")]);
    } finally {
      stack.process.kill("SIGINT");
      await stack.exited;
    }
  });
});
