import { html, type Markup } from "./html.ts";

/** Small pictures, as SVG: they need no script. */
const WIDTH = 120;
const HEIGHT = 36;
const INSET = 2;

/** A line through the prices, with a soft area below. Decorative: the numbers beside it say the same. */
export function sparkline(prices: readonly string[], direction: "up" | "down" | "unchanged"): Markup {
  if (prices.length < 2) return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"></svg>`;
  const line = pathOf(prices.map(Number), { width: WIDTH, height: HEIGHT, inset: INSET });
  return html`<svg class="spark ${direction}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="area" d="${line} L${WIDTH} ${HEIGHT} L0 ${HEIGHT} Z"/><path class="line" d="${line}"/></svg>`;
}

const CHART_WIDTH = 720;
const CHART_HEIGHT = 280;

/** The chart of a page without a script. */
export function stillChart(closes: readonly string[], direction: "up" | "down" | "unchanged"): Markup {
  if (closes.length < 2) return html``;
  const line = pathOf(closes.map(Number), { width: CHART_WIDTH, height: CHART_HEIGHT, inset: 12 });
  return html`<svg class="still ${direction}" viewBox="0 0 ${CHART_WIDTH} ${CHART_HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="area" d="${line} L${CHART_WIDTH} ${CHART_HEIGHT} L0 ${CHART_HEIGHT} Z"/><path class="line" d="${line}"/></svg>`;
}

type Frame = { readonly width: number; readonly height: number; readonly inset: number };

function pathOf(values: readonly number[], { width, height, inset }: Frame): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const span = high - low || 1;
  return values
    .map((value, index) => {
      const x = ((width * index) / (values.length - 1)).toFixed(1);
      const y = (height - inset - ((height - 2 * inset) * (value - low)) / span).toFixed(1);
      return `${index === 0 ? "M" : "L"}${x} ${y}`;
    })
    .join(" ");
}

const SIGNS: Readonly<Record<string, string>> = {
  ...{ usd: "$", eur: "€", gbp: "£", aed: "د.إ", try: "₺", chf: "Fr", cad: "C$", aud: "A$", cny: "元", jpy: "¥" },
  ...{ sar: "﷼", kwd: "د.ك", iqd: "ع.د", rub: "₽", inr: "₹", btc: "B", eth: "Ξ", bnb: "B", sol: "S", xrp: "X" },
  ...{ ada: "A", doge: "D", trx: "TR", ton: "TO", usdt: "T", "gold-18k": "18", "gold-24k": "24", "gold-mesghal": "Au" },
  ...{ "gold-ounce": "oz", "silver-gram": "Ag", "silver-ounce": "oz", "coin-emami": "1", "coin-bahar": "1" },
  ...{ "coin-half": "½", "coin-quarter": "¼", "coin-gram": "g" },
};

export function badge({
  icon,
  itemType,
  displayName,
}: {
  icon: string;
  itemType: string;
  displayName: { en: string };
}): Markup {
  const isSilver = icon.startsWith("silver");
  return html`<span class="badge ${itemType} ${isSilver && "silver"}" aria-hidden="true">${SIGNS[icon] ?? displayName.en.slice(0, 1)}</span>`;
}
