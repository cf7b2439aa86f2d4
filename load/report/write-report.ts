import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunRecord } from "../record/run-record.ts";
import type { Verdict } from "../verdict/judge.ts";
import { reportPage } from "./report-page.ts";
import { reportSummary } from "./report-summary.ts";

export type ReportFiles = { readonly html: string; readonly markdown: string; readonly json: string };

/** The report as HTML and Markdown, and the record, from which reports of several machines are merged. */
export async function writeReport(record: RunRecord, verdict: Verdict, folder: string): Promise<ReportFiles> {
  await mkdir(folder, { recursive: true });
  const files = {
    html: join(folder, "report.html"),
    markdown: join(folder, "report.md"),
    json: join(folder, "report.json"),
  };
  await writeFile(files.html, reportPage(record, verdict));
  await writeFile(files.markdown, reportSummary(record, verdict));
  await writeFile(files.json, `${JSON.stringify(record)}\n`);
  return files;
}
