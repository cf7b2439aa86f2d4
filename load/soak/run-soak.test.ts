import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../shared/clock.ts";
import type { Progress } from "../progress/progress.ts";
import { reportPage } from "../report/report-page.ts";
import { startTarget } from "../target/start-target.ts";
import type { Target } from "../target/target.ts";
import { judge } from "../verdict/judge.ts";
import { runSoak } from "./run-soak.ts";

const START_MS_MAX = 240_000;
const silent: Progress = { say: () => {}, show: () => {}, end: () => {} };

let target: Target;
beforeAll(async () => {
  const queue = { maxActive: 100, admissionRate: 1_000, admissionBurst: 1_000 };
  target = await startTarget({ edge: "node", queue, signal: new AbortController().signal, say: () => {} });
}, START_MS_MAX);
afterAll(() => target?.stop());

it("samples every part, both stores and the files while orders flow", { timeout: START_MS_MAX }, async () => {
  const options = {
    actionsPerSecond: 50,
    seconds: 2,
    traders: 4,
    mix: { place: 65, cancel: 20, market: 10, stop: 5 },
    pairs: ["btcidr"],
    batch: 1,
    isDirect: false,
    seed: 1,
    shard: { index: 1, count: 1 },
  } as const;
  const context = { signal: new AbortController().signal, progress: silent, clock: systemClock, target, everyMs: 200 };
  const record = await runSoak(options, context);
  expect(record.scenario).toBe("soak");
  const names = record.resources?.map(({ name }) => name) ?? [];
  expect(names).toEqual(
    expect.arrayContaining([
      ...["line-redis", "venue-redis", "origin", "edge"].map((part) => `memory of ${part}`),
      ...["data in the venue's Redis", "keys in the line's Redis", "append-only file of the venue's Redis"],
      ...["logs", "PostgreSQL's files", "longest stall of the origin", "client order ids of the day"],
    ]),
  );
  for (const { name, points } of record.resources ?? []) {
    expect(points.length, name).toBeGreaterThan(3);
    for (const [, value] of points) expect(value, name).toBeGreaterThanOrEqual(0);
  }
  // A machine that runs other tests may be late or stall; every other line must hold even then.
  const late = ["flow sustained", "errors for admitted visitors", ...names];
  expect(judge(record).lines.filter(({ name, isMet }) => !isMet && !late.includes(name))).toEqual([]);
  const page = reportPage(record, judge(record));
  for (const name of names) expect(page).toContain(`<h3>${name.replaceAll("'", "&#39;")}</h3>`);
});
