import { type Html, html } from "../../edge/room/html.ts";
import type { Axis } from "./axis.ts";

/**
 * A plot with its axes. The drawing stretches to the available width and labels are text of the page, so that both can
 * be read on any screen. Strokes and dots keep their size.
 */
export type Plot = {
  readonly title: string;
  /** A sentence that explains the plot; may be empty. */
  readonly note: string;
  readonly x: LabelledAxis;
  readonly y: LabelledAxis;
  readonly legend: readonly LegendEntry[];
  /** Made by the functions below. */
  readonly drawing: readonly Html[];
  readonly shape?: "tall";
};

export type LabelledAxis = Axis & { readonly label: string; readonly tickText: (value: number) => string };

/** The name of a colour in the style sheet. */
export type Ink = "one" | "two" | "three" | "limit" | "fault" | "quiet";

export type LegendEntry = { readonly ink: Ink; readonly name: string };

const WIDTH = 1_000;
const HEIGHT = 300;

const across = (value: number, { max }: Axis) => rounded((value / max) * WIDTH);
const up = (value: number, { max }: Axis) => rounded(HEIGHT - (value / max) * HEIGHT);

export function drawPlot({ title, note, x, y, legend, drawing, shape }: Plot): Html {
  return html`<figure class="plot ${shape ?? "wide"}">
<figcaption><h3>${title}</h3>${note === "" ? undefined : html`<p>${note}</p>`}${legend.length > 1 ? drawLegend(legend) : undefined}</figcaption>
<div class="axes">
<div class="y-label">${y.label}</div>
<div class="y-ticks" aria-hidden="true">${y.ticks.map((tick) => html`<span style="bottom:${rounded((tick / y.max) * 100)}%">${y.tickText(tick)}</span>`)}</div>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}: ${y.label} by ${x.label}">
${y.ticks.map((tick) => html`<line class="grid" x1="0" x2="${WIDTH}" y1="${up(tick, y)}" y2="${up(tick, y)}"/>`)}
${drawing}
</svg>
<div class="x-ticks" aria-hidden="true">${x.ticks.map((tick) => html`<span style="left:${rounded((tick / x.max) * 100)}%">${x.tickText(tick)}</span>`)}</div>
<div class="x-label">${x.label}</div>
</div>
</figure>
`;
}

function drawLegend(legend: readonly LegendEntry[]): Html {
  return html`<ul class="legend">${legend.map(({ ink, name }) => html`<li class="ink-${ink}">${name}</li>`)}</ul>`;
}

export type Point = readonly [x: number, y: number];

/** Breaks where a value is missing. */
export function drawLine(ink: Ink, points: readonly Point[], { x, y }: { readonly x: Axis; readonly y: Axis }): Html {
  let isDrawing = false;
  let path = "";
  for (const [at, value] of points) {
    if (Number.isFinite(value)) path += `${isDrawing ? "L" : "M"}${across(at, x)} ${up(value, y)}`;
    isDrawing = Number.isFinite(value);
  }
  // A single point becomes a line of length 0, which the round cap shows as a dot.
  return html`<path class="line ink-${ink}" d="${path.replace(/M([^ML]+)(?=M|$)/g, "M$1h0")}"/>`;
}

export function drawArea(ink: Ink, points: readonly Point[], { x, y }: { readonly x: Axis; readonly y: Axis }): Html {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return html``;
  const outline = points.map(([at, value]) => `L${across(at, x)} ${up(value, y)}`).join("");
  return html`<path class="area ink-${ink}" d="M${across(first[0], x)} ${HEIGHT}${outline}L${across(last[0], x)} ${HEIGHT}Z"/>`;
}

/** One path for all dots: thousands of elements would make the page slow. */
export function drawDots(ink: Ink, points: readonly Point[], { x, y }: { readonly x: Axis; readonly y: Axis }): Html {
  return html`<path class="dots ink-${ink}" d="${points.map(([at, value]) => `M${across(at, x)} ${up(value, y)}h0`).join("")}"/>`;
}

/** The time of an injected fault, never too narrow to see. */
export function drawBand(fromMs: number, toMs: number, x: Axis): Html {
  const from = Math.min(across(fromMs, x), WIDTH - BAND_WIDTH_MIN);
  const width = Math.max(BAND_WIDTH_MIN, Math.min(across(toMs, x), WIDTH) - from);
  return html`<rect class="band" x="${rounded(from)}" y="0" width="${rounded(width)}" height="${HEIGHT}"/>`;
}

const BAND_WIDTH_MIN = 3;

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
