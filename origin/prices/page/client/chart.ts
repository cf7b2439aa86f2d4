import { AreaSeries, createChart, type IChartApi, type ISeriesApi, type UTCTimestamp } from "lightweight-charts";
import { axisDate, defaultLook, inDigits, type Look, shortDate, shownAmount } from "../view/look.ts";
import type { BoardLanguage } from "../view/texts.ts";

/** The chart of a price. Replaces the still picture that the server sent; a range is loaded when it is chosen. */
type Bar = readonly [openTime: number, open: string, high: string, low: string, close: string];

const place = document.getElementById("chart");
const detail = document.querySelector<HTMLElement>(".detail");
const language = document.body.dataset["language"] as BoardLanguage;
const unit = detail?.dataset["unit"] ?? "";
/** The axis shows what a clock in Tehran shows; it has no summer time any more. */
const TEHRAN_SECONDS = 12_600;
const HEIGHT = 300;

let look: Look = { ...defaultLook(language), ...stored(), language };

function stored(): Partial<Look> {
  try {
    return JSON.parse(localStorage.getItem("sluice-prices-look") ?? "{}") as Partial<Look>;
  } catch {
    return {};
  }
}

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function paint(chart: IChartApi, series: ISeriesApi<"Area">, isUp: boolean): void {
  const line = colour(isUp ? "--up" : "--down");
  chart.applyOptions({
    layout: { background: { color: "transparent" }, textColor: colour("--muted"), attributionLogo: false },
    grid: { vertLines: { visible: false }, horzLines: { color: colour("--line") } },
  });
  series.applyOptions({ lineColor: line, topColor: `${line}40`, bottomColor: `${line}05`, lineWidth: 2 });
}

function draw(host: HTMLElement, first: readonly Bar[]): void {
  host.replaceChildren();
  let range = host.dataset["range"] ?? "1m";
  let bars = first;
  const chart = createChart(host, {
    autoSize: true,
    // The logo would bring its own style element, which the policy forbids; the page names the library in its footer.
    layout: { attributionLogo: false },
    height: HEIGHT,
    rightPriceScale: { borderVisible: false },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      fixLeftEdge: true,
      fixRightEdge: true,
      tickMarkFormatter: tickText,
    },
    handleScroll: { vertTouchDrag: false },
    localization: {
      priceFormatter: (price: number) => shownAmount(plain(price), unit, look),
      timeFormatter: (seconds: number) => dayText(seconds),
    },
  });
  const series = chart.addSeries(AreaSeries, { priceLineVisible: false });

  function show(): void {
    const times = new Set<number>();
    const points = bars
      .map(([openTime, , , , close]) => ({
        time: (Math.floor(openTime / 1000) + TEHRAN_SECONDS) as UTCTimestamp,
        value: Number(close),
      }))
      .filter(({ time }) => !times.has(time) && times.add(time) !== undefined);
    series.setData(points);
    paint(chart, series, (points.at(-1)?.value ?? 0) >= (points[0]?.value ?? 0));
    chart.timeScale().fitContent();
  }

  async function choose(link: HTMLAnchorElement): Promise<void> {
    const wanted = link.dataset["range"] ?? range;
    const response = await fetch(`/api/v1/prices/${detail?.dataset["item"]}/history?range=${wanted}`);
    if (!response.ok) return;
    const body = (await response.json()) as {
      bars: readonly { openTime: number; open: string; high: string; low: string; close: string }[];
    };
    range = wanted;
    bars = body.bars.map((bar) => [bar.openTime, bar.open, bar.high, bar.low, bar.close]);
    for (const other of document.querySelectorAll("[data-range]")) other.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    show();
  }

  function dayText(seconds: number): string {
    const date = new Date(seconds * 1_000).toISOString();
    const day = shortDate(date.slice(0, 10), look);
    return range === "1d" || range === "1w" || range === "1m" ? `${day} ${inDigits(date.slice(11, 16), look)}` : day;
  }

  function tickText(seconds: number): string {
    const date = new Date(seconds * 1_000).toISOString();
    return range === "1d" ? inDigits(date.slice(11, 16), look) : axisDate(date.slice(0, 10), look);
  }

  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-range]"))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      void choose(link).catch(() => location.assign(link.href));
    });
  addEventListener("look", (event) => {
    look = (event as CustomEvent<Look>).detail;
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
}

/** Without an exponent. */
function plain(price: number): string {
  return price >= 1_000 ? String(Math.round(price)) : String(Number(price.toFixed(6)));
}

if (place !== null) draw(place, JSON.parse(document.getElementById("bars")?.textContent ?? "[]") as readonly Bar[]);
