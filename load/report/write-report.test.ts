import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_VISITORS, type RunRecord } from "../record/run-record.ts";
import { sampleRecord } from "../record/sample-record.ts";
import { judge } from "../verdict/judge.ts";
import { writeReport } from "./write-report.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-report-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function written(record: RunRecord) {
  const files = await writeReport(record, judge(record), folder);
  const [page, summary, json] = await Promise.all(
    [files.html, files.markdown, files.json].map((file) => readFile(file, "utf8")),
  );
  return { page: page ?? "", summary: summary ?? "", json: json ?? "" };
}

/** The visible text. */
const textOf = (page: string) =>
  page
    .replace(/<style>.*?<\/style>/gs, "")
    .replace(/<[^>]*>/g, "\n")
    .replace(/\s*\n\s*/g, "\n");

describe("a report", () => {
  it("contains the record unchanged", async () => {
    const record = sampleRecord();
    expect(JSON.parse((await written(record)).json)).toEqual(record);
  });

  it("shows the figures of the record", async () => {
    const record = sampleRecord();
    const { page, summary } = await written(record);
    const text = textOf(page);
    for (const [name, value] of [
      ["visitors", "600"],
      ["admitted", "600"],
      ["longest line", String(Math.max(...record.gauges.map(({ waiting }) => waiting)))],
      // 600 pages, 1,800 requests, 600 completed and 100 orders.
      ["requests", "3,100"],
      ["orders acknowledged", "90"],
      ["trades", "30"],
    ]) {
      expect(text).toContain(`\n${name}\n${value}\n`);
      expect(summary).toContain(`| ${name} | ${value} |`);
    }
    expect(text).toContain("201 × 90, balance_insufficient × 10");
    expect(text).toContain("All 8 promises were kept.");
    for (const { name, expected, seen } of judge(record).lines) expect(text).toContain(`${name}\n${expected}\n${seen}`);
  });

  it("begins with the verdict, and names broken promises", async () => {
    const record = sampleRecord();
    const { page, summary } = await written({ ...record, orders: record.orders && { ...record.orders, lost: 3 } });
    const text = textOf(page);
    expect(text).toContain("1 of 8 promises was not kept: acknowledged orders lost.");
    expect(text.indexOf("Failed")).toBeLessThan(text.indexOf("visitors\n600"));
    expect(summary).toContain("| ✗ | acknowledged orders lost | 0 | 3 (read back all 90) |");
  });

  it("is one page without external resources or scripts", async () => {
    const { page } = await written(sampleRecord());
    expect(page).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bhref=|url\(|@import|\bon[a-z]+=/i);
    expect(page).toContain("default-src 'none'");
  });

  it("draws every curve for which the record has points", async () => {
    const { page } = await written(sampleRecord());
    const titles = [...page.matchAll(/<h3>([^<]*)<\/h3>/g)].map(([, title]) => title);
    expect(titles).toEqual([
      "Waiting",
      "Inside, against the cap",
      "Admissions",
      "Order flow",
      "The protected page",
      "Requests inside",
      "Orders",
      "Place in the line, time of entry",
    ]);
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/);
  });

  it("draws a curve through the values of the record", async () => {
    const { durationMs } = sampleRecord();
    const record: RunRecord = {
      ...sampleRecord(),
      gauges: [0, 0.5, 1].map((share) => ({
        atMs: share * durationMs,
        waiting: share * 400,
        active: 0,
        cap: 300,
        admitted: 0,
      })),
    };
    // A drawing is 1000 wide and 300 high, and its axis ends at 400.
    expect((await written(record)).page).toContain('<path class="line ink-one" d="M0 300L500 150L1000 0"/>');
  });

  it("shades the time of each fault in every plot over time", async () => {
    const faults = [{ atMs: 5_000, untilMs: 9_000, what: "kill -9 of the engine" }];
    const { page, summary } = await written({ ...sampleRecord(), faults });
    expect(page.match(/class="band"/g)).toHaveLength(7);
    expect(page).toContain("kill -9 of the engine");
    expect(summary).toContain("| kill -9 of the engine | 5.0 s | 9.0 s |");
  });

  it("stays small for a crowd of fifty thousand", async () => {
    const { page } = await written(sampleRecord(50_000));
    expect(textOf(page)).toContain("2,000 of 50,000 visitors are drawn.");
    expect(page.length).toBeLessThan(500_000);
  });

  it("escapes all text from a target", async () => {
    const said = `</style><script>alert("1")</script>|**bold**`;
    const record = { ...sampleRecord(), scenario: said, target: said, settings: { [said]: said }, machine: said };
    const faults = [{ atMs: 0, untilMs: 1, what: said }];
    const checks = [{ name: said, expected: said, seen: said, isMet: true }];
    const requests = { [said]: { answers: { [said]: 1 }, seconds: [{ second: 0, buckets: { 1: 1 } }] } };
    const { page, summary } = await written({ ...record, faults, checks, requests });
    expect(page).not.toContain("<script");
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    expect(summary).not.toContain("<script");
    expect(summary).not.toMatch(/[^\\]\*\*bold/);
  });

  it("can be written for a run that was stopped before the first request", async () => {
    const empty = {
      visitors: NO_VISITORS,
      gauges: [],
      requests: {},
      orders: undefined,
      checks: [],
      durationMs: 0,
      wasInterrupted: true,
    };
    const { page } = await written({ ...sampleRecord(), ...empty });
    expect(textOf(page)).toContain("No promise was tested.");
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});
