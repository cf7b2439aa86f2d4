import { expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { runKills } from "./kill-run.ts";

it("holds every acknowledged payment and trade exactly once after random kills", async () => {
  const report = await runKills({ folder: await temporaryFolder(), kills: 6, seed: 3 });
  expect(report.acknowledged).toBeGreaterThan(6);
  expect(report.wrong).toEqual([]);
  expect(report.audit.lines.flatMap(({ faults }) => faults)).toEqual([]);
}, 180_000);
