import type { Grid } from "../../instruments/grid.ts";
import { barFields } from "../candles/bar-text.ts";
import type { Frame } from "../candles/frames.ts";
import type { FilledRow } from "../read/candle-query.ts";
import { CHART_TEXTS, type ChartLanguage } from "./chart-texts.ts";

/** A chart as SVG text: candles, volume and moving averages. Pure: the same bars give the same text. */
export type ChartRequest = {
  readonly pair: Grid;
  readonly frame: Frame;
  readonly rows: readonly FilledRow[];
  readonly width: number;
  readonly height: number;
  readonly theme: "light" | "dark";
  readonly language: ChartLanguage;
  /** Lengths of moving averages, in bars. */
  readonly averages: readonly number[];
};

const THEMES = {
  light: { back: "#ffffff", text: "#1f2937", grid: "#e5e7eb", up: "#15803d", down: "#b91c1c" },
  dark: { back: "#111827", text: "#e5e7eb", grid: "#374151", up: "#22c55e", down: "#ef4444" },
} as const;
const AVERAGE_COLOURS = ["#2563eb", "#d97706", "#7c3aed"] as const;
const MARGIN = { top: 40, right: 96, bottom: 28, left: 12 };
const VOLUME_SHARE = 0.2;
const PRICE_LINES = 5;
const TIME_LABELS = 5;
export const FONT_FAMILY = "Vazirmatn";

type Drawn = { readonly o: number; readonly h: number; readonly l: number; readonly c: number; readonly v: number };

export function chartSvg(request: ChartRequest): string {
  const { width, height, rows, theme } = request;
  const colours = THEMES[theme];
  const bars = rows.map(({ text }): Drawn => {
    const [o = 0, h = 0, l = 0, c = 0, v = 0] = barFields(text).map(Number);
    return { o, h, l, c, v };
  });
  const box = {
    x: MARGIN.left,
    y: MARGIN.top,
    w: width - MARGIN.left - MARGIN.right,
    h: height - MARGIN.top - MARGIN.bottom,
  };
  const high = Math.max(...(bars.length === 0 ? [1] : bars.map(({ h }) => h)));
  const low = Math.min(...(bars.length === 0 ? [0] : bars.map(({ l }) => l)));
  const span = high - low || high || 1;
  const most = Math.max(1e-18, ...bars.map(({ v }) => v));
  const step = box.w / Math.max(1, bars.length);
  const priceH = box.h * (1 - VOLUME_SHARE);
  const x = (place: number) => box.x + (place + 0.5) * step;
  const y = (price: number) => box.y + ((high - price) / span) * priceH;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="${FONT_FAMILY}" font-size="12" fill="${colours.text}">`,
    `<rect width="100%" height="100%" fill="${colours.back}"/>`,
    ...titleOf(request, bars.at(-1)),
  ];
  for (let line = 0; line <= PRICE_LINES; line++) {
    const price = low + (span * line) / PRICE_LINES;
    parts.push(
      `<line x1="${box.x}" x2="${round(box.x + box.w)}" y1="${round(y(price))}" y2="${round(y(price))}" stroke="${colours.grid}"/>`,
      `<text x="${round(box.x + box.w + 6)}" y="${round(y(price) + 4)}">${numberText(price, request)}</text>`,
    );
  }
  const body = Math.max(1, step * 0.7);
  for (const [place, bar] of bars.entries()) {
    const colour = bar.c >= bar.o ? colours.up : colours.down;
    const volume = (bar.v / most) * box.h * VOLUME_SHARE * 0.9;
    const top = y(Math.max(bar.o, bar.c));
    parts.push(
      `<path d="M${round(x(place))} ${round(y(bar.h))}V${round(y(bar.l))}" stroke="${colour}"/>`,
      `<rect x="${round(x(place) - body / 2)}" y="${round(top)}" width="${round(body)}" height="${round(Math.max(1, y(Math.min(bar.o, bar.c)) - top))}" fill="${colour}"/>`,
      `<rect x="${round(x(place) - body / 2)}" y="${round(box.y + box.h - volume)}" width="${round(body)}" height="${round(volume)}" fill="${colour}" opacity="0.4"/>`,
    );
  }
  for (const [place, length] of request.averages.entries()) {
    const points = averagesOf(bars, length).map(([at, price]) => `${round(x(at))},${round(y(price))}`);
    const colour = AVERAGE_COLOURS[place % AVERAGE_COLOURS.length];
    if (points.length > 1)
      parts.push(`<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="1.5"/>`);
  }
  parts.push(...timeLabels(request, x));
  return `${parts.join("")}</svg>`;
}

function timeLabels(request: ChartRequest, x: (place: number) => number): string[] {
  const { rows, height } = request;
  if (rows.length === 0) return [];
  return Array.from({ length: TIME_LABELS }, (_, label) => {
    const place = Math.floor(((rows.length - 1) * label) / (TIME_LABELS - 1));
    const anchor = label === 0 ? "start" : label === TIME_LABELS - 1 ? "end" : "middle";
    const text = timeText(rows[place]?.openTime ?? 0, request);
    return `<text x="${round(x(place))}" y="${height - 8}" text-anchor="${anchor}">${text}</text>`;
  });
}

/** Right-to-left languages have their title at the right. */
function titleOf({ pair, frame, width, language, averages }: ChartRequest, last: Drawn | undefined): string[] {
  const texts = CHART_TEXTS[language];
  const name = `${pair.baseCurrency}/${pair.quoteCurrency}`.toUpperCase();
  const averaged = averages.length === 0 ? "" : ` · ${texts.average} ${averages.join(", ")}`;
  const price = last === undefined ? texts.empty : `${texts.close} ${numberText(last.c, { language, pair })}`;
  const [at, anchor] = texts.direction === "rtl" ? [width - 12, "end"] : [12, "start"];
  return [
    `<text x="${at}" y="24" font-size="16" text-anchor="${anchor}" direction="ltr">${texts.title(name, frame)}</text>`,
    `<text x="${width - at}" y="24" text-anchor="${anchor === "end" ? "start" : "end"}">${price} · ${texts.volume}${averaged}</text>`,
  ];
}

function averagesOf(bars: readonly Drawn[], length: number): readonly (readonly [number, number])[] {
  let sum = 0;
  return bars.flatMap(({ c }, place) => {
    sum += c - (bars[place - length]?.c ?? 0);
    return place + 1 < length ? [] : [[place, sum / length] as const];
  });
}

const round = (value: number) => Math.round(value * 10) / 10;

function numberText(value: number, { language, pair }: Pick<ChartRequest, "language" | "pair">): string {
  const digits = { maximumSignificantDigits: 8, maximumFractionDigits: pair.quoteScale };
  return new Intl.NumberFormat(CHART_TEXTS[language].locale, digits).format(value);
}

function timeText(at: number, { language, frame }: ChartRequest): string {
  const isDay = /[dwM]$/.test(frame);
  const clock = isDay ? {} : ({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const);
  const day = { month: "2-digit", day: "2-digit" } as const;
  const format = new Intl.DateTimeFormat(CHART_TEXTS[language].locale, { timeZone: "UTC", ...day, ...clock });
  return format.format(at);
}
