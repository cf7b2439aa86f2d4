import { html, raw } from "hono/html";
import type { HealthReport, PartHealth } from "../../../shared/http/health.ts";
import { paletteCss } from "../../../shared/look/palette.ts";

/** The parts' titles, for readers who do not know the documentation. */
const PART_TITLES: Readonly<Record<string, string>> = {
  edge: "Edge: the gate that visitors meet",
  store: "Store: the line's Redis",
  origin: "Origin: the venue behind the gate",
  venueStore: "Venue store: orders and wallets in Redis",
  database: "Database: the permanent record in PostgreSQL",
  engine: "Engine: executes orders",
  projections: "Projections: orders, wallets and books, as they are read",
  ledger: "Ledger: writes trades and movements to the database",
  marketData: "Market: candles, summaries and positions",
  venueMemory: "Memory: of the venue's Redis",
  upgrade: "Upgrade: data of an earlier version is brought forward",
};

/** In the look of the visitor's pages. Green and red come with a mark and a word. */
const STYLE = `${paletteCss(null)}
:root { color-scheme: light dark; --ok: #177245; --down: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ok: #6fd6a0; --down: #ff9d94; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100svh; display: grid; place-items: center; background: var(--page); color: var(--text); font: 1.0625rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
main { width: 100%; max-width: 42rem; padding: 1.5rem 0.75rem; }
.card { padding: clamp(1.5rem, 5vw, 2.5rem); background: var(--surface); border: 1px solid var(--line); border-radius: 1.5rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.2; }
ul { margin: 0; list-style: none; padding: 0; }
li { display: flex; gap: 0.75rem; align-items: baseline; padding: 0.6rem 0; border-top: 1px solid var(--line); }
li b { flex: none; min-width: 4.5rem; }
li p { margin: 0; }
.ok b, h1.ok { color: var(--ok); }
.down b, h1.down { color: var(--down); }
small { display: block; color: var(--muted); }
`;

/** The same report as the JSON, for a person. The page has no script and loads nothing. */
export function healthPage(report: HealthReport) {
  const headline =
    report.status === "ok" ? "Everything answers" : `Not answering: ${report.down.map(nameOf).join(", ")}`;
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Sluice: ${headline}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<div class="card">
<h1 class="${report.status}">${headline}</h1>
<ul>
${report.parts.map(partItem)}
</ul>
</div>
</main>
</body>
</html>
`;
}

/** "Venue store" of "Venue store: orders and wallets in Redis". */
function nameOf(part: string): string {
  return (PART_TITLES[part] ?? part).split(":", 1)[0] ?? part;
}

function partItem({ name, state, detail }: PartHealth) {
  const title = PART_TITLES[name] ?? name;
  const note = detail === undefined ? "" : html`<small>${detail}</small>`;
  return html`<li class="${state}"><b>${state === "ok" ? "✓ ok" : "✗ down"}</b><p>${title}${note}</p></li>`;
}
