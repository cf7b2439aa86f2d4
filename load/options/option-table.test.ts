import { describe, expect, it } from "vitest";
import { crowdScenario } from "../crowd/crowd.ts";
import { SCENARIOS } from "../scenarios.ts";
import { choice, flag, share, wholeNumber } from "./option-kinds.ts";
import { optionHelp, readOptions } from "./option-table.ts";
import { targetOptions } from "./target-options.ts";

const TABLE = {
  visitors: wholeNumber("how many", { min: 1, max: 100, fallback: 10 }),
  silent: share("go silent"),
  curve: choice("how they come", ["spike", "ramp"], "spike"),
  loud: flag("say more"),
} as const;

describe("options", () => {
  it("have defaults, and take given values", () => {
    expect(readOptions(TABLE, [])).toEqual({
      ok: true,
      value: { visitors: 10, silent: 0, curve: "spike", loud: false },
    });
    const args = ["--visitors", "20", "--silent=0.5", "--curve", "ramp", "--loud"];
    expect(readOptions(TABLE, args)).toEqual({
      ok: true,
      value: { visitors: 20, silent: 0.5, curve: "ramp", loud: true },
    });
  });

  it("report all faults at once", () => {
    const args = ["--visitors", "0", "--silent", "2", "--curve", "zigzag", "--loud=yes", "--nothing", "stray", "-x"];
    const read = readOptions(TABLE, args);
    expect(read.ok ? [] : read.reason.toSorted()).toEqual([
      "--curve: must be spike or ramp",
      "--loud: takes no value",
      "--nothing: no such option",
      "--silent: must be a number from 0 to 1",
      "--visitors: must be a whole number from 1 to 100",
      "-x: no such option",
      "stray: not understood",
    ]);
    expect(readOptions(TABLE, ["--visitors"])).toEqual({ ok: false, reason: ["--visitors: needs a value (N)"] });
    for (const visitors of ["1e1", "0x10", "", " 5", "5.5", "-1"])
      expect(readOptions(TABLE, [`--visitors=${visitors}`]).ok, visitors).toBe(false);
  });

  it("are all listed in the help", () => {
    for (const { options } of SCENARIOS) expect(optionHelp(options)).toHaveLength(Object.keys(options).length);
    expect(optionHelp(TABLE)[0]).toContain("--visitors N");
  });
});

describe("the crowd's options", () => {
  const faultsOf = (...args: readonly string[]) => {
    const planned = crowdScenario.plan(args);
    return planned.ok ? [] : planned.reason;
  };

  it("allow another machine only with --allow-remote", () => {
    const refused = ["--url: is not on this machine; --allow-remote allows it"];
    for (const url of ["http://shop.test", "http://127.evil.test", "http://10.0.0.1", "https://127.0.0.1.nip.test"]) {
      expect(faultsOf("--url", url), url).toEqual(refused);
      expect(faultsOf("--url", url, "--allow-remote"), url).toEqual([]);
    }
    for (const url of ["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787"])
      expect(faultsOf("--url", url), url).toEqual([]);
    expect(faultsOf("--allow-remote")).toEqual(["--allow-remote: only with --url"]);
    expect(faultsOf("--url", "ftp://x")).toEqual(["--url: must be an http or https URL"]);
  });

  it("use the queue's default burst unless one is given", () => {
    expect(readOptions(targetOptions, [])).toMatchObject({ ok: true, value: { burst: undefined } });
    expect(readOptions(targetOptions, ["--burst", "1"])).toMatchObject({ ok: true, value: { burst: 1 } });
    expect(faultsOf("--burst", "0")).toEqual(["--burst: must be a whole number from 1 to 10000"]);
  });

  it("refuse shares that add up to more than 1", () => {
    expect(faultsOf("--silent", "0.5", "--return", "0.3", "--leave", "0.3")).toEqual([
      "--silent, --return and --leave: together more than 1",
    ]);
  });

  it("select a shard of the crowd", () => {
    expect(faultsOf("--shard", "2/4")).toEqual([]);
    for (const shard of ["0/4", "5/4", "1", "1/0", "a/b"]) expect(faultsOf("--shard", shard), shard).toHaveLength(1);
  });
});
