import { type Html, html, trusted } from "../../edge/room/html.ts";
import type { RunRecord } from "../record/run-record.ts";
import type { Verdict, VerdictLine } from "../verdict/judge.ts";
import { answerRows } from "./answer-table.ts";
import { fairnessPlot } from "./fairness-plot.ts";
import { type Figure, keyFigures } from "./figures.ts";
import { countText, durationText, millisecondsText } from "./numbers.ts";
import { REPORT_STYLE } from "./report-style.ts";
import { resourcePlots } from "./resource-plots.ts";
import { runTitle, verdictSentence } from "./run-title.ts";
import { flowPlots, latencyPlots } from "./time-plots.ts";

/** The report as one self-contained page: no script, and no external font or image. */
export function reportPage(record: RunRecord, verdict: Verdict): string {
  const { scenario, target, startedAt } = record;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Sluice: ${runTitle(record)}</title>
<style>${trusted(REPORT_STYLE)}</style>
</head>
<body>
<header>
<p class="eyebrow">Sluice load report</p>
<h1>${capitalised(scenario)}</h1>
<p class="subtitle">${runTitle(record).slice(scenario.length + 2)}, against ${target}, ${dateText(startedAt)}</p>
</header>
<main>
${verdictSection(verdict)}
${figureSection(keyFigures(record))}
${plotSection({ id: "flow", title: "Flow", note: "", plots: flowPlots(record) })}
${plotSection({ id: "latency", title: "Latency", note: LATENCY_NOTE, plots: latencyPlots(record) })}
${plotSection({ id: "resources", title: "Resources", note: "", plots: resourcePlots(record) })}
${plotSection({ id: "fairness", title: "Fairness", note: "", plots: fairnessPlot(record) })}
${answerSection(record)}
${faultSection(record)}
${factSection(record)}
</main>
<footer>Made from <code>report.json</code> in the same folder, which holds every number of this page.</footer>
</body>
</html>
`;
  return page.text;
}

function verdictSection(verdict: Verdict): Html {
  return html`<section class="verdict ${verdict.isMet ? "met" : "broken"}" aria-labelledby="verdict">
<h2 id="verdict"><span class="badge">${verdict.isMet ? "Passed" : "Failed"}</span> ${verdictSentence(verdict)}</h2>
<table class="lines">
<thead><tr><th scope="col"><span class="unseen">Kept</span></th><th scope="col">Promise</th><th scope="col">Expected</th><th scope="col">Seen</th></tr></thead>
<tbody>${verdict.lines.map(verdictRow)}</tbody>
</table>
</section>`;
}

function verdictRow({ name, expected, seen, isMet }: VerdictLine): Html {
  return html`<tr class="${isMet ? "met" : "broken"}"><td class="mark">${isMet ? "✓" : "✗"}<span class="unseen">${isMet ? "kept" : "not kept"}</span></td><th scope="row">${name}</th><td data-label="Expected">${expected}</td><td data-label="Seen">${seen}</td></tr>
`;
}

function figureSection(figures: readonly Figure[]): Html {
  return html`<section aria-label="Figures"><dl class="figures">${figures.map(
    ({ name, value, note }) => html`<div><dt>${name}</dt><dd><strong>${value}</strong><span>${note}</span></dd></div>
`,
  )}</dl></section>`;
}

type PlotSection = {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly plots: readonly Html[];
};

const LATENCY_NOTE =
  "Measured from when a request was due, not from when it was sent: waiting in the load generator counts.";

function plotSection({ id, title, note, plots }: PlotSection): Html {
  if (plots.length === 0) return html``;
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${note === "" ? undefined : html`<p class="note">${note}</p>`}
<div class="plots">
${plots}
</div>
</section>`;
}

function answerSection(record: RunRecord): Html {
  const rows = answerRows(record);
  if (rows.length === 0) return html``;
  return html`<section aria-labelledby="answers">
<h2 id="answers">Answers</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="answers">
<table>
<thead><tr><th scope="col">Request</th><th scope="col" class="number">Count</th><th scope="col" class="answers">Answered with</th><th scope="col" class="number">p50</th><th scope="col" class="number">p95</th><th scope="col" class="number">p99</th></tr></thead>
<tbody>${rows.map(
    ({ kind, count, answers, p50, p95, p99 }) =>
      html`<tr><th scope="row">${kind}</th><td class="number">${count}</td><td class="answers">${answers}</td><td class="number">${p50}</td><td class="number">${p95}</td><td class="number">${p99}</td></tr>
`,
  )}</tbody>
</table>
</div>
</section>`;
}

function faultSection({ faults }: RunRecord): Html {
  if (faults.length === 0) return html``;
  return html`<section aria-labelledby="faults">
<h2 id="faults">Faults</h2>
<p class="note">Injected faults, shaded in the plots.</p>
<div class="scroll" tabindex="0" role="region" aria-labelledby="faults">
<table>
<thead><tr><th scope="col">Fault</th><th scope="col" class="number">From</th><th scope="col" class="number">Until</th></tr></thead>
<tbody>${faults.map(
    ({ what, atMs, untilMs }) =>
      html`<tr><th scope="row">${what}</th><td class="number">${durationText(atMs)}</td><td class="number">${durationText(untilMs)}</td></tr>
`,
  )}</tbody>
</table>
</div>
</section>`;
}

function factSection({
  settings,
  machine,
  shard,
  target,
  startedAt,
  durationMs,
  wasInterrupted,
  driver,
}: RunRecord): Html {
  const facts: readonly (readonly [string, string])[] = [
    ["target", target],
    ["began", dateText(startedAt)],
    ["lasted", `${durationText(durationMs)}${wasInterrupted ? ", interrupted" : ""}`],
    ["shard", shard],
    ...(machine === undefined ? [] : [["machine", machine] as const]),
    ...driverFacts(driver),
    ...Object.entries(settings).map(([name, value]) => [name, String(value)] as const),
  ];
  return html`<section aria-labelledby="facts">
<h2 id="facts">Settings and machine</h2>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</section>`;
}

/** A load generator that could not keep up measures its own machine, not the target: readers must see it. */
function driverFacts(driver: RunRecord["driver"]): readonly (readonly [string, string])[] {
  if (driver === undefined) return [];
  const { lateMsMax, waitingMost, resent } = driver;
  return [
    ["load generator late, at most", millisecondsText(lateMsMax)],
    ["requests waiting for a connection, at most", countText(waitingMost)],
    ["requests sent twice", countText(resent)],
  ];
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function dateText(unixMs: number): string {
  return `${new Date(unixMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
