import type { BoardItem } from "../../board/board-item.ts";
import type { HistoryBar } from "../../history/read-history.ts";
import { changeText, priceText, unitName } from "./board-view.ts";
import { html, Markup } from "./html.ts";
import { clockTime, directionOf, inDigits, type Look, shortDate, shownAmount } from "./look.ts";
import { badge, stillChart } from "./shapes.ts";
import { TEXTS } from "./texts.ts";

/** One price in detail. Runs on the server; in the browser the parts that a reader's choice changes are made again. */
export type Detail = {
  readonly item: BoardItem;
  readonly range: string;
  readonly bars: readonly HistoryBar[];
  /** The answer to "the price on a day". */
  readonly asked: { readonly text: string; readonly day: HistoryBar | "none" | "bad" } | undefined;
};

const RANGES = ["1d", "1w", "1m", "3m", "1y", "5y", "all"] as const;

export function detailMain({ item, range, bars, asked }: Detail, look: Look): Markup {
  const texts = TEXTS[look.language];
  const { itemCode } = item;
  const link = (name: string) => `/prices/${itemCode}?lang=${look.language}&range=${name}`;
  return html`<p class="crumb"><a href="/prices/?lang=${look.language}">${texts.back}</a></p>
<article class="detail" data-item="${itemCode}" data-unit="${item.unit}">
<div id="facts">${detailFacts(item, look)}</div>
<section class="chart-box" aria-labelledby="chart-title"><h2 id="chart-title" class="unseen">${texts.chart}</h2>
<nav class="ranges" aria-label="${texts.range}">${RANGES.map((name) => html`<a href="${link(name)}" data-range="${name}" ${name === range && html`aria-current="true"`}>${texts.ranges[name]}</a>`)}</nav>
<div id="chart" data-range="${range}">${stillChart(
    bars.map(({ close }) => close),
    directionOf(trend(bars)),
  )}</div>
<script type="application/json" id="bars">${rawJson(bars.map(({ openTime, open, high, low, close }) => [openTime, open, high, low, close]))}</script>
</section>
<div id="more">${detailMore(item, look)}</div>
<section class="panel"><h2>${texts.dayQuestion}</h2>
<form class="day" action="/prices/${itemCode}" method="get"><input type="hidden" name="lang" value="${look.language}">
<label class="unseen" for="date">${texts.dayQuestion}</label>
<input id="date" name="date" inputmode="numeric" autocomplete="off" dir="ltr" placeholder="${texts.dayHint}" value="${asked?.text ?? ""}" maxlength="12" required>
<button class="button">${texts.show}</button></form>
${asked !== undefined && dayAnswer(asked.day, item, look)}
</section>
<p class="share"><a class="button quiet" href="/api/v1/prices/${itemCode}/chart.png?lang=${look.language}&amp;range=${range}">${texts.share}</a></p>
</article>`;
}

/** Name, price, change, and when it came. */
export function detailFacts(item: BoardItem, look: Look): Markup {
  const texts = TEXTS[look.language];
  return html`<header class="head">${badge(item)}<div><h1>${item.displayName[look.language]}</h1>
<p class="price-line"><span class="huge">${priceText(item, look)}</span> ${changeText(item, look)}</p>
<p class="fine">${item.lastUpdated !== null && html`${texts.updated} <time>${clockTime(item.lastUpdated, look)}</time>`} ${item.dataAge === "stale" && html`<span class="mark">${texts.stale}</span>`}</p></div></header>`;
}

/** Comparisons and the courses of two days. */
export function detailMore(item: BoardItem, look: Look): Markup {
  const texts = TEXTS[look.language];
  const amount = (text: string | null | undefined) => (text ? shownAmount(text, item.unit, look) : "–");
  const { yesterday, lastWeek, lastMonth } = item.comparisons;
  const compared = [
    [texts.yesterday, yesterday],
    [texts.lastWeek, lastWeek],
    [texts.lastMonth, lastMonth],
  ] as const;
  return html`<section class="panel"><h2>${texts.compare}</h2><ul class="compare">${compared.map(
    ([name, then]) =>
      then !== null &&
      html`<li class="compare-row"><span class="name">${name}</span><bdi class="then">${amount(then.price)}</bdi>${changeText({ ...then, unit: item.unit }, look)}<span class="fine">${shortDate(then.date, look)}</span></li>`,
  )}</ul></section>
<section class="panel"><h2>${texts.details}</h2><div class="scroll" tabindex="0" role="region" aria-label="${texts.details}"><table><thead><tr><td></td><th scope="col">${texts.today}</th><th scope="col">${texts.yesterday}</th></tr></thead>
<tbody>${(["open", "high", "low", "close"] as const).map((name) => html`<tr><th scope="row">${texts[name]}</th><td><bdi>${amount(item.today?.[name])}</bdi></td><td><bdi>${amount(item.yesterday?.[name])}</bdi></td></tr>`)}</tbody></table></div>
<dl class="pairs"><div><dt>${texts.last24}</dt><dd><bdi>${amount(item.low24h)} – ${amount(item.high24h)}</bdi></dd></div><div><dt>${texts.unit}</dt><dd>${unitName(item.unit, texts, look)}</dd></div><div><dt>${texts.source}</dt><dd>${item.isDemo ? texts.demoSource : item.provider}</dd></div></dl></section>`;
}

function dayAnswer(day: HistoryBar | "none" | "bad", item: BoardItem, look: Look): Markup {
  const texts = TEXTS[look.language];
  if (day === "bad" || day === "none")
    return html`<p class="answer" role="status">${day === "bad" ? texts.dayBad : texts.dayNone}</p>`;
  const amount = (text: string) => shownAmount(text, item.unit, look);
  return html`<p class="answer" role="status"><b><bdi>${amount(day.close)}</bdi></b> ${unitName(item.unit, texts, look)} <span class="fine">${shortDate(day.date, look)} · <bdi>${inDigits(day.dateJalali, look)}</bdi> · ${texts.low} <bdi>${amount(day.low)}</bdi> · ${texts.high} <bdi>${amount(day.high)}</bdi></span></p>`;
}

function trend(bars: readonly HistoryBar[]): string | null {
  const [first, last] = [bars[0]?.close, bars.at(-1)?.close];
  return first === undefined || last === undefined ? null : String(Number(last) - Number(first));
}

/** A data block is no markup: only a closing tag could end it. */
function rawJson(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll("<", "\\u003c"));
}
