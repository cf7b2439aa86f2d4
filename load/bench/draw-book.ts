/**
 * A picture of the benchmark page: the first row of each benchmark, its ratio and its aim. It is drawn from the page,
 * not from a run, because the sections come from different runs.
 */
export function drawBook(page: string): string {
  const rows = [...page.matchAll(SECTION)].flatMap(([, name = "", section = ""]) => firstRow(name, section));
  const height = TOP + rows.length * ROW_HEIGHT + BOTTOM;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Measured ratios against their aims">`,
    `<style>${STYLE}</style>`,
    `<text class="quiet" x="${AIM_X}" y="14" text-anchor="middle">aim</text>`,
    ...rows.map((row, index) => drawRow(row, TOP + index * ROW_HEIGHT)),
    `<path class="aim" d="M${AIM_X} ${TOP - 4}V${height - BOTTOM}"/>`,
    "</svg>",
    "",
  ].join("\n");
}

type BookRow = { readonly name: string; readonly what: string; readonly ratio: number; readonly aim: number };

const SECTION = /<!-- bench:([\w-]+) -->([\s\S]*?)<!-- \/bench:/g;
const TABLE_ROW = /^\| \*\*([\d.]+)\*\* \| ([\d.]+) \| ([^|]+) \|/gm;

/** The first row with an aim. */
function firstRow(name: string, section: string): readonly BookRow[] {
  const rows = [...section.matchAll(TABLE_ROW)].map(([, ratio, aim, what = ""]) => ({
    name,
    what: what.trim(),
    ratio: Number(ratio),
    aim: Number(aim),
  }));
  return rows.filter(({ aim }) => aim > 0).slice(0, 1);
}

const WIDTH = 860;
const TOP = 26;
const BOTTOM = 8;
const ROW_HEIGHT = 34;
const BAR_X = 110;
/** The end of a bar whose ratio equals its aim; bars end at twice the aim. */
const AIM_X = 380;
const TIMES_AIM_MAX = 2;
const STYLE =
  "text{font:13px system-ui,sans-serif;fill:#1f2937}.quiet{fill:#6b7280;font-size:11px}.met{fill:#2563eb}.missed{fill:#d97706}.aim{stroke:#6b7280;stroke-dasharray:3 3}@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.quiet{fill:#9ca3af}.met{fill:#60a5fa}.missed{fill:#fbbf24}.aim{stroke:#9ca3af}}";

function drawRow({ name, what, ratio, aim }: BookRow, y: number): string {
  const width = (AIM_X - BAR_X) * Math.min(ratio / aim, TIMES_AIM_MAX);
  return [
    `<text x="0" y="${y + 14}">${escaped(name)}</text>`,
    `<rect class="${ratio >= aim ? "met" : "missed"}" x="${BAR_X}" y="${y + 3}" width="${width.toFixed(1)}" height="13" rx="2"/>`,
    `<text x="${(BAR_X + Math.max(width, AIM_X - BAR_X) + 8).toFixed(1)}" y="${y + 14}">${ratio.toFixed(2)} (aim ${aim.toFixed(2)})</text>`,
    `<text class="quiet" x="${BAR_X}" y="${y + 28}">${escaped(what)}</text>`,
  ].join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
