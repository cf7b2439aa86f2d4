import { html, type Markup } from "./html.ts";
import { inDigits, type Look } from "./look.ts";
import { BOARD_LANGUAGES, TEXTS } from "./texts.ts";

/** Everything around the prices of a page. */
export type Shell = {
  readonly title: string;
  readonly description: string;
  readonly look: Look;
  readonly isDemo: boolean;
  /** The path without the language, for the links to the other languages. */
  readonly path: string;
  readonly assets: { readonly script: string; readonly style: string; readonly chart: string | undefined };
  readonly dates: Markup | false;
  readonly main: Markup;
  readonly nowMs: number;
  readonly quotaLimit: number;
};

export function pageShell(shell: Shell): string {
  const { title, description, look, isDemo, path, assets, dates, main, nowMs, quotaLimit } = shell;
  const { language } = look;
  const texts = TEXTS[language];
  return html`<!doctype html>
<html lang="${language}" dir="${texts.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#0b6e8a">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="/prices/assets/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/prices/assets/icon.svg">
<link rel="manifest" href="/prices/assets/${language}.webmanifest">
<link rel="stylesheet" href="/prices/assets/${assets.style}">
<script src="/prices/assets/${assets.script}" defer></script>
${assets.chart !== undefined && html`<script src="/prices/assets/${assets.chart}" defer></script>`}
</head>
<body data-language="${language}" data-now="${nowMs}">
${isDemo && html`<p class="demo" id="demo">${texts.demo}</p>`}
<p class="offline" id="offline" role="status" hidden>${texts.offline}</p>
<header class="top"><div class="title"><a class="home" href="/prices/?lang=${language}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 17l5-6 4 3 8-9"/><path d="M15 5h5v5"/></svg><span>${texts.title}</span></a><p class="dates" id="dates">${dates}</p></div>
<details class="menu"><summary><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h10M18 7h2M4 17h2M10 17h10"/><circle cx="16" cy="7" r="2"/><circle cx="8" cy="17" r="2"/></svg><span>${texts.settings}</span></summary>
<div class="sheet">
<p class="label">${texts.language}</p>
<p class="choice">${BOARD_LANGUAGES.map((other) => html`<a href="${path}?lang=${other}" lang="${other}" hreflang="${other}" ${other === language && html`aria-current="true"`}>${TEXTS[other].name}</a>`)}</p>
<div id="looks" hidden>${choices(look)}</div>
</div></details></header>
<main>
${main}
</main>
<footer>
<div class="quota"><button type="button" class="button" id="refresh" hidden>${texts.refresh}</button><p class="fine" id="quota" role="status">${texts.refreshesEvery.replace("{limit}", inDigits(String(quotaLimit), look))}</p></div>
${assets.chart !== undefined && html`<p class="fine attribution"><a href="https://www.tradingview.com/" rel="noopener noreferrer">${texts.attribution}</a></p>`}
</footer>
</body>
</html>
`.text;
}

/** Choices that only a script can apply. */
export function choices(look: Look): Markup {
  const texts = TEXTS[look.language];
  const group = (name: keyof Look, label: string, options: readonly (readonly [string, string])[]) =>
    html`<p class="label" id="${name}-label">${label}</p><p class="choice" role="group" aria-labelledby="${name}-label">${options.map(
      ([value, text]) =>
        html`<button type="button" data-look="${name}" value="${value}" aria-pressed="${String(look[name] === value)}">${text}</button>`,
    )}</p>`;
  return html`${group("rial", texts.unit, [
    ["toman", texts.toman],
    ["rial", texts.rial],
  ])}${group("digits", texts.digits, [
    ["persian", texts.persianDigits],
    ["latin", texts.latinDigits],
  ])}${group("calendar", texts.calendar, [
    ["jalali", texts.jalali],
    ["gregorian", texts.gregorian],
  ])}`;
}
