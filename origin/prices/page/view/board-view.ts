import type { BoardItem } from "../../board/board-item.ts";
import { html, type Markup } from "./html.ts";
import {
  amountText,
  clockTime,
  directionOf,
  type Look,
  longDate,
  percentText,
  shownAmount,
  shownUnit,
} from "./look.ts";
import { badge, sparkline } from "./shapes.ts";
import { type BoardTexts, TEXTS } from "./texts.ts";

/** The list of all prices: the most wanted ones on top, then every group. Runs on the server and in the browser. */
export type ListedItem = Omit<BoardItem, "today" | "yesterday" | "comparisons">;

const GROUPS = ["currency", "gold", "coin", "crypto"] as const;
/** The dollar, the coin, gold and bitcoin: the reason why most readers come. */
const GLANCE = ["usd_sell", "coin_emami", "gold_18k", "btc"];

export function boardMain(items: readonly ListedItem[], look: Look): Markup {
  const texts = TEXTS[look.language];
  const glance = GLANCE.flatMap((code) => items.find(({ itemCode }) => itemCode === code) ?? []);
  return html`<div id="list">
${glance.length > 0 && html`<section class="glance" aria-label="${texts.glance}">${glance.map((item) => glanceCard(item, look))}</section>`}
<p class="empty" id="none" hidden>${texts.none}</p>
<div class="groups">${GROUPS.map((group) => groupSection(group, items, look))}</div>
</div>`;
}

function groupSection(group: (typeof GROUPS)[number], items: readonly ListedItem[], look: Look): Markup | false {
  const texts = TEXTS[look.language];
  const own = items.filter(({ itemType }) => itemType === group);
  return (
    own.length > 0 &&
    html`<section class="group" id="${group}" aria-labelledby="${group}-title"><h2 id="${group}-title">${texts[group]}</h2>
<ul class="rows">${own.map((item) => itemRow(item, look))}</ul></section>`
  );
}

const itemLink = (itemCode: string, { language }: Look) => `/prices/${itemCode}?lang=${language}`;

function glanceCard(item: ListedItem, look: Look): Markup {
  const direction = directionOf(item.change);
  return html`<a class="card" href="${itemLink(item.itemCode, look)}" data-item="${item.itemCode}">
<span class="who">${badge(item)}<span class="name">${item.displayName[look.language]}</span></span>
<span class="big">${priceText(item, look)}</span>
<span class="foot">${changeText(item, look)}${sparkline(item.sparkline, direction)}</span>
</a>`;
}

function itemRow(item: ListedItem, look: Look): Markup {
  const texts = TEXTS[look.language];
  const direction = directionOf(item.change);
  const words = [item.itemCode, ...Object.values(item.displayName)].join(" ").toLowerCase();
  return html`<li data-words="${words}"><a class="row ${item.dataAge === "stale" && "old"}" href="${itemLink(item.itemCode, look)}" data-item="${item.itemCode}">
${badge(item)}
<span class="what"><span class="name">${item.displayName[look.language]}</span><span class="span">${spanText(item, texts, look)}</span></span>
${sparkline(item.sparkline, direction)}
<span class="now"><span class="price">${priceText(item, look)}</span>${changeText(item, look)}</span>
</a></li>`;
}

function spanText(item: ListedItem, texts: BoardTexts, look: Look): Markup {
  if (item.price === null) return html`${texts.noPrice}`;
  const amount = (text: string | null) => (text === null ? "–" : shownAmount(text, item.unit, look));
  const span = html`<span class="high"><span class="unseen">${texts.high}: </span>${amount(item.high24h)}</span><span class="low"><span class="unseen">${texts.low}: </span>${amount(item.low24h)}</span>`;
  return item.dataAge === "stale" ? html`<span class="mark">${texts.stale}</span>${span}` : span;
}

export function priceText(item: Pick<ListedItem, "price" | "unit">, look: Look): Markup {
  const texts = TEXTS[look.language];
  if (item.price === null) return html`–`;
  return html`<bdi>${shownAmount(item.price, item.unit, look)}</bdi> <small>${unitName(item.unit, texts, look)}</small>`;
}

export function unitName(unit: string, texts: BoardTexts, look: Look): string {
  const shown = shownUnit(unit, look);
  return shown === "toman" || shown === "rial" || shown === "usd" ? texts[shown] : shown.toUpperCase();
}

const ARROWS = { up: "▲", down: "▼", unchanged: "■" } as const;

export function changeText(
  { change, changePercent, unit }: Pick<ListedItem, "change" | "changePercent" | "unit">,
  look: Look,
): Markup | false {
  if (change === null || changePercent === null) return false;
  const texts = TEXTS[look.language];
  const direction = directionOf(change);
  const title = amountText(shownAmount(change, unit, { ...look, digits: "latin" }).replaceAll(",", ""), look);
  return html`<span class="change ${direction}" title="${title}"><span aria-hidden="true">${ARROWS[direction]}</span> <span class="unseen">${texts[direction]} </span><bdi>${percentText(changePercent, look)}</bdi></span>`;
}

/** The line below the title: today's date, and when the newest price came. */
export function boardDates(items: readonly ListedItem[], nowMs: number, look: Look): Markup {
  const texts = TEXTS[look.language];
  const newest = Math.max(0, ...items.map(({ lastUpdated }) => lastUpdated ?? 0));
  return html`<span>${longDate(nowMs, look)}</span>${newest > 0 && html`<span>${texts.updated} <time>${clockTime(newest, look)}</time></span>`}`;
}
