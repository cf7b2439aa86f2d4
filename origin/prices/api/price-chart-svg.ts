import type { BoardItem } from "../board/board-item.ts";
import type { HistoryBar } from "../history/read-history.ts";
import { unitName } from "../page/view/board-view.ts";
import { html } from "../page/view/html.ts";
import { directionOf, type Look, longDate, percentText, shownAmount } from "../page/view/look.ts";
import { TEXTS } from "../page/view/texts.ts";

/** The picture of a price to share: name, price, change, course and date, in the reader's language. Pure. */
const WIDTH = 1200;
const HEIGHT = 630;
const INSET = 60;
const CHART_TOP = 290;
/** The font that the drawing thread has. */
const FONT = "Vazirmatn";
const COLOURS = { up: "#0a7a45", down: "#bf2a37", unchanged: "#5b6770" } as const;

type Picture = { readonly item: BoardItem; readonly bars: readonly HistoryBar[]; readonly look: Look };

export function priceChartSvg({ item, bars, look }: Picture): string {
  const texts = TEXTS[look.language];
  const direction = directionOf(item.change);
  const isRtl = texts.dir === "rtl";
  const [x, anchor] = isRtl ? [WIDTH - INSET, "end"] : [INSET, "start"];
  const line = lineOf(bars.map(({ close }) => Number(close)));
  const price = item.price === null ? "–" : shownAmount(item.price, item.unit, look);
  const change = item.changePercent === null ? "" : `\u202a${percentText(item.changePercent, look)}\u202c`;
  const when = item.lastUpdated === null ? "" : longDate(item.lastUpdated, look);
  // The drawing library takes every line for left-to-right: an embedding says otherwise.
  const text = (y: number, size: number, content: string, fill = "#13212a") =>
    html`<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}">${isRtl ? `\u202b${content}\u202c` : content}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="${FONT}"><rect width="100%" height="100%" fill="#f3f6f8"/>${[
    text(90, 40, item.displayName[look.language], "#5b6770"),
    text(170, 72, `${price} ${unitName(item.unit, texts, look)}`),
    text(230, 40, change, COLOURS[direction]),
  ]}<path d="${line}" fill="none" stroke="${COLOURS[direction]}" stroke-width="5" stroke-linejoin="round"/>${[
    text(HEIGHT - 30, 26, when, "#5b6770"),
    item.isDemo && text(CHART_TOP - 15, 26, texts.demo, "#8a6100"),
  ]}</svg>`.text;
}

function lineOf(values: readonly number[]): string {
  if (values.length < 2) return "M0 0";
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [width, height] = [WIDTH - 2 * INSET, HEIGHT - CHART_TOP - 90];
  return values
    .map((value, index) => {
      const x = INSET + (width * index) / (values.length - 1);
      const y = CHART_TOP + height - (height * (value - low)) / (high - low || 1);
      return `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join(" ");
}
