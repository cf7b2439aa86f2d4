import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SLOW_MACHINE_MS, startStack } from "../kit/running-stack.ts";
import { temporaryFolder } from "../kit/temporary-folder.ts";
import { runLoad } from "./run-load.ts";

describe("npm run load", { timeout: SLOW_MACHINE_MS }, () => {
  it("loads a stack that runs already, watches its line with its own token, and refuses a target that it would miss", async () => {
    const folder = await temporaryFolder();
    const out = await temporaryFolder();
    const stack = await startStack({ folder });
    try {
      const at = ["--url", stack.url, "--out", out];
      const crowd = await runLoad([
        "crowd",
        ...at,
        "--data-dir",
        folder,
        "--visitors",
        "10",
        "--over",
        "1",
        "--stay",
        "0.1",
      ]);
      expect(crowd.output).toContain("✓ over-admission");
      expect(crowd.output).toContain("✓ every visit came to an end: 10 of 10");
      const trade = await runLoad(["trade", ...at, "--rate", "20", "--seconds", "1", "--traders", "2"], {
        SLUICE_DATA_DIR: folder,
      });
      expect(trade.output).toContain("✓ acknowledged orders lost: 0");
      expect(trade.output).toContain("✓ audit: conservation");
      const elsewhere = await runLoad(["crowd", ...at, "--path", "/demo/"]);
      expect([elsewhere.code, elsewhere.output]).toEqual([
        1,
        expect.stringContaining("is behind the queue demo, not venue"),
      ]);
      const stranger = await runLoad(["crowd", ...at], { SLUICE_ADMIN_TOKEN: "a token of another gate altogether" });
      expect([stranger.code, stranger.output]).toEqual([1, expect.stringContaining("is not a token of this gate")]);
      const noVenue = await runLoad(["trade", ...at, "--data-dir", join(out, "none"), "--traders", "1"]);
      expect([noVenue.code, noVenue.output]).toEqual([
        1,
        expect.stringContaining("no venue is running with the data folder"),
      ]);
    } finally {
      stack.process.kill("SIGINT");
      await stack.exited;
    }
  });
});
