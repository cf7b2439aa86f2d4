import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Context, Hono } from "hono";
import type { Clock } from "../../../shared/clock.ts";
import { paletteCss } from "../../../shared/look/palette.ts";
import { buildFaces } from "../../../stack/servers/build-faces.ts";
import type { AdmissionVariables } from "../../accounts/admission/admission.ts";
import type { PriceReads } from "../api/price-reads.ts";
import { listed } from "../board/known-board.ts";
import { parseDay } from "../calendar/jalali.ts";
import { RANGE_NAMES, type Range } from "../history/read-history.ts";
import { itemCodeField } from "../items/item.ts";
import { QUOTA_LIMIT } from "../quota/quota.ts";
import { boardDates, boardMain } from "./view/board-view.ts";
import { type Detail, detailMain } from "./view/detail-view.ts";
import { html } from "./view/html.ts";
import { defaultLook, type Look } from "./view/look.ts";
import { pageShell } from "./view/page-shell.ts";
import { BOARD_LANGUAGES, type BoardLanguage, TEXTS } from "./view/texts.ts";

/**
 * `/prices/`: the price board for people. The first view is complete without a script; scripts and styles have names of
 * their content and are kept for ever, pages for five seconds. Nothing is loaded from elsewhere.
 */
type RouteParts = { readonly prices: PriceReads; readonly clock: Clock };

const PAGE_SECONDS = 5;
const RANGE_DEFAULT: Range = "1m";

export function priceBoardRoutes(app: Hono<{ Variables: AdmissionVariables }>, { prices, clock }: RouteParts): void {
  app.get("/prices", (c) => c.redirect(`/prices/${new URL(c.req.url).search}`, 308));
  app.get("/prices/", async (c) => {
    const look = lookOf(c);
    const { items, etag } = prices.board();
    const texts = TEXTS[look.language];
    const nowMs = clock.nowMs();
    const shown = items.map(listed);
    const search = html`<div class="bar"><nav class="jump" aria-label="${texts.title}">${(["currency", "gold", "coin", "crypto"] as const).map((group) => html`<a href="#${group}">${texts[group]}</a>`)}</nav><input id="search" type="search" hidden placeholder="${texts.search}" aria-label="${texts.search}"></div>`;
    const page = pageShell({
      ...{ title: `${texts.title} · ${texts.subtitle}`, description: texts.subtitle, look, nowMs, path: "/prices/" },
      ...{ isDemo: items.some(({ isDemo }) => isDemo), quotaLimit: QUOTA_LIMIT, assets: await assetNames(false) },
      dates: boardDates(shown, nowMs, look),
      main: html`<h1 class="unseen">${texts.title}</h1>${search}${boardMain(shown, look)}`,
    });
    return pageResponse(c, page, { tag: `${etag.slice(1, -1)}-${look.language}` });
  });
  app.get("/prices/sw.js", async (c) => {
    const { offline } = await builtAssets();
    return asset(c, offline, "no-cache");
  });
  app.get("/prices/assets/:name", async (c) => {
    const name = c.req.param("name");
    const found = Object.values(await builtAssets()).find((one) => one.name === name);
    if (found !== undefined) return asset(c, found, "public, max-age=31536000, immutable");
    if (name === "icon.svg")
      return c.body(ICON, 200, { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" });
    const language = BOARD_LANGUAGES.find((one) => name === `${one}.webmanifest`);
    return language === undefined ? c.notFound() : manifest(c, language);
  });
  app.get("/prices/:itemCode", async (c) => {
    const itemCode = itemCodeField.safeParse(c.req.param("itemCode"));
    const item = itemCode.success ? prices.board().find(itemCode.data) : undefined;
    if (item === undefined) return c.notFound();
    const look = lookOf(c);
    const texts = TEXTS[look.language];
    const nowMs = clock.nowMs();
    const range = RANGE_NAMES.find((name) => name === c.req.query("range")) ?? RANGE_DEFAULT;
    const asked = await askedDay(prices, item.itemCode, c.req.query("date"));
    // A chart that cannot be read is missing; the price is there.
    const bars = await prices.history(item.itemCode, range).catch(() => []);
    const page = pageShell({
      ...{ title: `${item.displayName[look.language]} · ${texts.title}`, description: item.displayName[look.language] },
      ...{ look, nowMs, path: `/prices/${item.itemCode}`, isDemo: item.isDemo, quotaLimit: QUOTA_LIMIT },
      assets: await assetNames(true),
      dates: boardDates([item], nowMs, look),
      main: detailMain({ item, range, bars, asked }, look),
    });
    return pageResponse(c, page, { tag: undefined });
  });
}

async function askedDay(prices: PriceReads, itemCode: string, text: string | undefined): Promise<Detail["asked"]> {
  if (text === undefined || text === "") return undefined;
  const shown = text.slice(0, DAY_CHARS_MAX);
  const parsed = parseDay(shown);
  if (!parsed.ok) return { text: shown, day: "bad" };
  return { text: shown, day: (await prices.day(itemCode, parsed.value)) ?? "none" };
}

const DAY_CHARS_MAX = 12;

/** The language in the URL, else the browser's, else Persian, which most readers of these prices speak. */
function lookOf(c: Context): Look {
  const named = BOARD_LANGUAGES.find((language) => language === c.req.query("lang"));
  const language = named ?? acceptedLanguage(c.req.header("accept-language") ?? "") ?? "fa";
  return defaultLook(language);
}

/** The first of the browser's languages that the board has; browsers list them by preference. */
function acceptedLanguage(header: string): BoardLanguage | undefined {
  const wanted = header.split(",", LANGUAGES_READ_MAX).map((entry) => entry.trim().slice(0, 2).toLowerCase());
  return BOARD_LANGUAGES.find(
    (language) => language === wanted.find((one) => BOARD_LANGUAGES.some((own) => own === one)),
  );
}

const LANGUAGES_READ_MAX = 20;

function pageResponse(c: Context, page: string, { tag }: { readonly tag: string | undefined }): Response {
  const headers: Record<string, string> = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": POLICY,
    "cache-control": `public, max-age=${PAGE_SECONDS}`,
    // The language of a URL without one depends on the browser.
    vary: "accept-language, accept-encoding",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-price-board": "1",
    ...(tag !== undefined && { etag: `"${tag}"` }),
  };
  return packed(c, Buffer.from(page), headers);
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

function packed(c: Context, bytes: Buffer<ArrayBuffer>, headers: Record<string, string>): Response {
  const takesGzip = /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  const body = takesGzip ? gzipSync(bytes) : bytes;
  return new Response(body, { headers: { ...headers, ...(takesGzip && { "content-encoding": "gzip" }) } });
}

type Asset = { readonly name: string; readonly bytes: Buffer<ArrayBuffer>; readonly mediaType: string };
type Assets = { readonly script: Asset; readonly style: Asset; readonly chart: Asset; readonly offline: Asset };

let assets: Promise<Assets> | undefined;

/** Built by the first request of a process at the latest; a failed build is tried again by the next request. */
function builtAssets(): Promise<Assets> {
  assets ??= loadAssets().catch((error: unknown) => {
    assets = undefined;
    throw error;
  });
  return assets;
}

async function loadAssets(): Promise<Assets> {
  await buildFaces();
  const [board, chart, offline] = await Promise.all([
    import("../../built/price-board.ts"),
    import("../../built/price-chart.ts"),
    import("../../built/price-offline.ts"),
  ]);
  return {
    script: assetOf("board", "js", board.BOARD_SCRIPT),
    style: assetOf("board", "css", paletteCss(null) + board.BOARD_STYLE),
    chart: assetOf("chart", "js", chart.CHART_SCRIPT),
    offline: assetOf("offline", "js", offline.OFFLINE_SCRIPT),
  };
}

const MEDIA_TYPES = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8" } as const;
const HASH_CHARS = 16;

function assetOf(name: string, ending: "js" | "css", text: string): Asset {
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, HASH_CHARS);
  return { name: `${name}-${hash}.${ending}`, bytes: Buffer.from(text), mediaType: MEDIA_TYPES[ending] };
}

async function assetNames(withChart: boolean) {
  const { script, style, chart } = await builtAssets();
  return { script: script.name, style: style.name, chart: withChart ? chart.name : undefined };
}

function asset(c: Context, { name, bytes, mediaType }: Asset, cacheControl: string): Response {
  const headers = {
    "content-type": mediaType,
    "cache-control": cacheControl,
    etag: `"${name}"`,
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
    "x-price-board": "1",
  };
  if (c.req.header("if-none-match") === headers.etag) return new Response(null, { status: 304, headers });
  return packed(c, bytes, headers);
}

function manifest(c: Context, language: BoardLanguage): Response {
  const texts = TEXTS[language];
  const body = {
    id: "/prices/",
    name: `${texts.title} · Sluice`,
    short_name: texts.title,
    description: texts.subtitle,
    lang: language,
    dir: texts.dir,
    start_url: `/prices/?lang=${language}`,
    scope: "/prices/",
    display: "standalone",
    background_color: "#f3f6f8",
    theme_color: "#0b6e8a",
    icons: [{ src: "/prices/assets/icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any maskable" }],
  };
  return c.body(JSON.stringify(body), 200, {
    "content-type": "application/manifest+json",
    "cache-control": "public, max-age=3600",
    "x-price-board": "1",
  });
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="#0b6e8a"/><path d="M112 352l96-112 72 56 120-152" fill="none" stroke="#fff" stroke-width="40" stroke-linecap="round" stroke-linejoin="round"/><path d="M316 144h84v84" fill="none" stroke="#fff" stroke-width="40" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
