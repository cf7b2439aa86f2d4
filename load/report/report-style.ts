/**
 * Style of the report: light or dark, one column on a phone and two on a desktop, colours safe for colour blindness.
 */
export const REPORT_STYLE = `
:root {
  --paper: #fff; --ink: #1c2024; --soft: #60646c; --hair: #e3e5e8; --wash: #f6f7f8;
  --one: #2563c9; --two: #0f8a7e; --three: #c2570c; --limit: #8a1c3b; --fault: #f3d9a4; --quiet: #2563c9;
  --good: #18794e; --good-wash: #e9f6ee; --bad: #c22a2f; --bad-wash: #fdecec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #111315; --ink: #edeef0; --soft: #a0a6ad; --hair: #2b2f33; --wash: #191c1f;
    --one: #70a7ff; --two: #3fc7b5; --three: #ff9a4d; --limit: #ff8fab; --fault: #5a4516; --quiet: #70a7ff;
    --good: #4cc38a; --good-wash: #12261c; --bad: #ff7b7b; --bad-wash: #331a1b;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 1180px; padding: 2.5rem 1.5rem 3rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums;
}
h1 { margin: 0; font-size: 2rem; line-height: 1.2; font-weight: 650; letter-spacing: -0.015em; }
h2 { margin: 0 0 1rem; font-size: 1.2rem; line-height: 1.35; font-weight: 600; }
h3 { margin: 0; font-size: 1rem; font-weight: 600; }
p { margin: 0; }
section { margin-top: 2.75rem; }
.eyebrow { color: var(--soft); font-size: 0.85rem; margin-bottom: 0.25rem; }
.subtitle { color: var(--soft); margin-top: 0.4rem; overflow-wrap: anywhere; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.verdict { margin-top: 2rem; padding: 1.25rem 1.5rem 0.75rem; border-radius: 10px; }
.verdict.met { background: var(--good-wash); }
.verdict.broken { background: var(--bad-wash); }
.badge { display: inline-block; margin-right: 0.4rem; padding: 0.05rem 0.6rem; border-radius: 99px; color: var(--paper); font-size: 0.95rem; }
.met .badge { background: var(--good); }
.broken .badge { background: var(--bad); }
table { width: 100%; border-collapse: collapse; font-size: 0.94rem; }
th, td { padding: 0.45rem 0.9rem 0.45rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--hair); font-weight: 400; }
thead th { border-top: 0; padding-top: 0; color: var(--soft); font-size: 0.85rem; white-space: nowrap; }
tbody th { font-weight: 550; }
th.number, td.number { text-align: right; white-space: nowrap; padding-right: 0; padding-left: 0.9rem; }
th.answers, td.answers { padding-left: 1.5rem; padding-right: 0; min-width: 12rem; overflow-wrap: anywhere; }
.note { margin: -0.6rem 0 1.2rem; color: var(--soft); font-size: 0.92rem; }
.lines th, .lines td { border-color: color-mix(in srgb, var(--ink) 12%, transparent); }
.mark { width: 1.6rem; font-weight: 700; }
tr.met .mark { color: var(--good); }
tr.broken .mark, tr.broken th, tr.broken td { color: var(--bad); }
.figures { display: flex; flex-wrap: wrap; gap: 1px; margin: 0; background: var(--hair); border: 1px solid var(--hair); border-radius: 10px; overflow: hidden; }
.figures > div { flex: 1 1 15rem; padding: 0.9rem 1.1rem; background: var(--paper); }
.figures dt { color: var(--soft); font-size: 0.85rem; }
.figures dd { margin: 0; }
.figures strong { display: block; font-size: 1.65rem; line-height: 1.3; font-weight: 600; letter-spacing: -0.01em; }
.figures span { color: var(--soft); font-size: 0.85rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 2.5rem 3rem; }
.tall { grid-column: 1 / -1; }
.plot { margin: 0; min-width: 0; display: flex; flex-direction: column; justify-content: space-between; }
.plot figcaption p { color: var(--soft); font-size: 0.88rem; }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.1rem; margin: 0.3rem 0 0; padding: 0; list-style: none; font-size: 0.85rem; }
.legend li::before { content: ""; display: inline-block; width: 0.95rem; height: 0.2rem; margin-right: 0.4rem; vertical-align: 0.22rem; background: var(--stroke); border-radius: 2px; }
.legend .ink-fault::before { height: 0.7rem; vertical-align: -0.05rem; background: var(--fault); }
.legend .ink-limit::before { background: repeating-linear-gradient(90deg, var(--stroke) 0 5px, transparent 5px 8px); }
.axes { display: grid; grid-template-columns: auto 1fr; grid-template-rows: auto 13rem auto auto; margin-top: 0.6rem; font-size: 0.8rem; color: var(--soft); }
.tall .axes { grid-template-rows: auto 22rem auto auto; }
.y-label { grid-column: 1 / 3; margin-bottom: 0.5rem; }
.y-ticks { position: relative; grid-row: 2; min-width: 3.4rem; }
.y-ticks span { position: absolute; right: 0.5rem; transform: translateY(50%); line-height: 1; white-space: nowrap; }
.axes svg { grid-row: 2; grid-column: 2; width: 100%; height: 100%; overflow: visible; }
.x-ticks { position: relative; grid-row: 3; grid-column: 2; height: 1.5rem; }
.x-ticks span { position: absolute; top: 0.45rem; transform: translateX(-50%); line-height: 1; white-space: nowrap; }
.x-label { grid-row: 4; grid-column: 2; text-align: right; }
.grid, .line, .dots { fill: none; vector-effect: non-scaling-stroke; }
.grid { stroke: var(--hair); }
.line { stroke: var(--stroke); stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.line.ink-limit { stroke-width: 1.5; stroke-dasharray: 6 4; stroke-linecap: butt; }
.area { fill: var(--stroke); opacity: 0.12; }
.dots { stroke: var(--stroke); stroke-width: 3.5; stroke-linecap: round; }
.dots.ink-three, .dots.ink-two { stroke-width: 4.5; }
.band { fill: var(--fault); opacity: 0.7; }
.ink-one { --stroke: var(--one); } .ink-two { --stroke: var(--two); } .ink-three { --stroke: var(--three); }
.ink-limit { --stroke: var(--limit); } .ink-fault { --stroke: var(--fault); } .ink-quiet { --stroke: var(--quiet); }
.scroll { overflow-x: auto; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 0 2.5rem; margin: 0; font-size: 0.92rem; }
.facts > div { display: flex; justify-content: space-between; gap: 1rem; padding: 0.4rem 0; border-top: 1px solid var(--hair); }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; text-align: right; overflow-wrap: anywhere; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--hair); color: var(--soft); font-size: 0.85rem; }
@media (max-width: 640px) {
  body { padding: 1.5rem 1rem 2rem; }
  h1 { font-size: 1.6rem; }
  .verdict { margin-inline: -0.25rem; padding: 1rem; }
  .lines thead { display: none; }
  .lines tr { display: grid; grid-template-columns: 1.6rem 1fr; padding: 0.5rem 0; border-top: 1px solid color-mix(in srgb, var(--ink) 12%, transparent); }
  .lines th, .lines td { border: 0; padding: 0; }
  .lines td[data-label] { grid-column: 2; }
  .lines td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  .figures { grid-template-columns: 1fr 1fr; }
  .figures > div { padding: 0.7rem 0.8rem; }
  .figures strong { font-size: 1.3rem; }
  .tall .axes { grid-template-rows: auto 17rem auto auto; }
}
@media print {
  body { max-width: none; padding: 0; }
  .plot, tr { break-inside: avoid; }
}
`;
