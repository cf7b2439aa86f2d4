import { html, raw } from "hono/html";
import type { HealthReport, PartHealth } from "../../shared/health.ts";

/** What each part is, for somebody who opens the page before reading any documentation. */
const PART_TITLES: Readonly<Record<string, string>> = {
  edge: "Edge: the gate that visitors meet",
  store: "Store: the line's Redis",
  origin: "Origin: the venue behind the gate",
  venueStore: "Venue store: orders and wallets in Redis",
  database: "Database: the permanent record in PostgreSQL",
};

const STYLE = `
:root { color-scheme: light dark; --ok: #177245; --down: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ok: #6fd6a0; --down: #ff9d94; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
ul { list-style: none; padding: 0; }
li { display: flex; gap: 0.75rem; align-items: baseline; padding: 0.6rem 0; border-top: 1px solid color-mix(in srgb, currentcolor 20%, transparent); }
li b { min-width: 3.5rem; }
li p { margin: 0; }
.ok b, h1.ok { color: var(--ok); }
.down b, h1.down { color: var(--down); }
small { display: block; opacity: 0.8; }
`;

/** The same report as the JSON, for a person. The page has no script and loads nothing. */
export function healthPage(report: HealthReport) {
  const headline = report.status === "ok" ? "Everything answers" : `Not answering: ${report.down.join(", ")}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Sluice: ${headline}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1 class="${report.status}">${headline}</h1>
<ul>
${report.parts.map(partItem)}
</ul>
</main>
</body>
</html>
`;
}

function partItem({ name, state, detail }: PartHealth) {
  const title = PART_TITLES[name] ?? name;
  const note = detail === undefined ? "" : html`<small>${detail}</small>`;
  return html`<li class="${state}"><b>${state === "ok" ? "✓ ok" : "✗ down"}</b><p>${title}${note}</p></li>`;
}
