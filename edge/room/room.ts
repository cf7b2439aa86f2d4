import { paletteCss } from "../../shared/look/palette.ts";
import { ROOM_SCRIPT, ROOM_STYLE } from "../built/room-script.ts";
import { SOLVER_SCRIPT } from "../built/solver.ts";
import { type ChosenLanguage, directionOf, type Language, languageTag } from "../line/page/language.ts";
import type { Template } from "../line/page/template.ts";
import type { QueueSettings } from "../line/settings.ts";
import { explanation, leaveForm, rejoinForm } from "./explanation.ts";
import { type Html, html, jsonForScript, trusted } from "./html.ts";
import type { InviteFault } from "./invite-fault.ts";
import { type Marking, markingOf, type OwnTexts, ownTexts } from "./own-texts.ts";
import { memoryCookieName, type NextStep, type PageFacts } from "./page-facts.ts";
import type { RoomState } from "./room-state.ts";
import { type RoomView, roomView } from "./room-view.ts";
import type { EarlyTexts, FirstTexts, LiveTexts, PageTexts } from "./texts/room-texts.ts";
import { textsOf } from "./texts-of.ts";
import { createWords, type Words } from "./words.ts";

/**
 * Every page that the gate itself shows to a visitor, for one state each. A pure function: the whole page is in its
 * answer, style and script included, and nothing in it is loaded from anywhere. It works without the script, which only
 * saves the reloads.
 */
export type Room = {
  readonly state: RoomState;
  readonly language: ChosenLanguage;
  /** Undefined while the store was never reached. */
  readonly queue: RoomQueue | undefined;
  /** The name of an unknown queue. */
  readonly siteName: string;
  /** Of a visitor with a place. */
  readonly ticketId?: string | undefined;
  readonly next: NextStep;
  /** Path and query of the page that was asked for. */
  readonly returnTo: string;
  /** A form was sent to this page, and was not carried out. */
  readonly isFormRefused?: boolean;
  /** The invite that was brought did not help. */
  readonly inviteFault?: InviteFault | undefined;
  /** Loading the page again asks for it, and sends nothing. */
  readonly mayReload: boolean;
  readonly nonce: string;
  readonly requestId: string;
  readonly nowMs: number;
  /** For an operator: the preview does nothing automatically. */
  readonly isPreview?: boolean;
};

export type RoomQueue = {
  readonly queueId: string;
  readonly settings: Pick<
    QueueSettings,
    "name" | "message" | "language" | "template" | "order" | "opensAt" | "heartbeatTtlSeconds" | "returnGraceSeconds"
  >;
};

export function renderRoom(room: Room): string {
  const { state, language, queue, nonce, nowMs } = room;
  const { live: texts, first, page } = textsByUse(language.language);
  const words = wordsOf(language.locale);
  const queueName = queue?.settings.name ?? room.siteName;
  const view = roomView(state, { texts, first, words, queueName, own: ownTextsOf(room), nowMs });
  return html`<!doctype html>
<html lang="${languageTag(language.language)}" dir="${directionOf(language.language)}" data-state="${state.name}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${view.title}</title>
<link rel="icon" href="${queue?.settings.template?.logo ?? ICON}">
${refreshWithoutScript(room)}
<style nonce="${nonce}">${style(room, view)}</style>
</head>
<body>
<main>
${brand(room, queueName)}
<div class="card">
${notice(room, page)}
<p class="mark" aria-hidden="true"><b></b><b></b><b></b></p>
<h1${marks(view.marked?.heading)}>${view.heading}</h1>
<p id="lead" class="lead"${marks(view.marked?.lead)}>${view.lead}</p>
${figure(view, { texts, page })}
${message(queue, page)}
<div class="actions">
${rejoinForm({ queueId: queue?.queueId, text: view.rejoin, isPreview: room.isPreview ?? false })}
<a id="action" class="button" href="${room.returnTo}"${hiddenUnless(view.action)}>${view.action}</a>
<button id="notify" class="button quiet" type="button" aria-pressed="false"${isShownToOperator(room, view) ? DISABLED : HIDDEN}>${texts.notify}</button>
</div>
<p id="updated" class="fine"${hiddenUnless(view.figure)}>${page.updatedNow}</p>
</div>
<div class="more">
${explanation({ queue, ticketId: room.ticketId, queueName, page, words })}
${leaveForm({ queueId: queue?.queueId, page, isShown: view.canLeave, isPreview: room.isPreview ?? false })}
<p class="fine reference">${page.reference}: <code>${room.requestId}</code></p>
</div>
</main>
<p id="status" class="unseen" role="status"></p>
${script(room, { texts, first, queueName })}
</body>
</html>
`.text;
}

function notice({ isFormRefused, inviteFault, next }: Room, page: PageTexts): Html {
  const text = isFormRefused ? page.notSent : inviteFault === undefined ? "" : page.invites[inviteFault];
  const withoutScript =
    next.kind === "prove" ? html`<noscript><p class="notice">${page.needsScript}</p></noscript>` : undefined;
  return html`<p id="notice" class="notice" role="status"${hiddenUnless(text)}>${text}</p>${withoutScript}`;
}

type Texts = { readonly texts: LiveTexts; readonly page: PageTexts };

function figure({ figure: shown, progress, estimate, crowd }: RoomView, { texts, page }: Texts): Html {
  const percent = Math.round((progress ?? 0) * 100);
  return html`<div id="figure"${hiddenUnless(shown)}>
<p id="figure-label" class="label">${shown?.label}</p>
<p class="value" id="position">${shown?.value}</p>
<p id="figure-note" class="note">${shown?.note}</p>
<div id="progress" class="progress" role="progressbar" aria-label="${page.progressLabel}" aria-valuenow="${percent}"${hiddenUnless(progress)}><i></i></div>
<dl class="facts">
<div${hiddenUnless(estimate)}><dt>${texts.waitLabel}</dt><dd id="estimate">${estimate}</dd></div>
<div${hiddenUnless(crowd)}><dt>${page.crowdLabel}</dt><dd id="crowd">${crowd}</dd></div>
</dl>
</div>`;
}

function message(queue: RoomQueue | undefined, { messageLabel }: PageTexts): Html {
  const { message: text = "", language = "en" } = queue?.settings ?? {};
  const marked = marks(markingOf(language));
  return html`<div id="message" class="message"${hiddenUnless(text)}><h2>${messageLabel}</h2><p id="message-text"${marked}>${text}</p></div>`;
}

function marks(marking: Marking | undefined): Html | undefined {
  return marking === undefined ? undefined : html` lang="${marking.lang}" dir="${marking.dir}"`;
}

function brand({ queue }: Room, queueName: string): Html {
  const { logo, logoAlt } = queue?.settings.template ?? {};
  if (logo === undefined) return html`<p class="brand">${queueName}</p>`;
  return html`<p class="brand"><img src="${logo}" alt="${logoAlt ?? queueName}"></p>`;
}

const HIDDEN = trusted(" hidden");
const DISABLED = trusted(" disabled");

/** The script shows it to those who wait, and a preview has no script. */
function isShownToOperator({ isPreview = false }: Room, { canLeave }: RoomView): boolean {
  return isPreview && canLeave;
}

function hiddenUnless(shown: unknown): Html | undefined {
  return shown === undefined || shown === false || shown === "" ? HIDDEN : undefined;
}

/** An own icon keeps browsers from requesting one from the application while the visitor waits. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6e8a'/%3E%3Cg fill='%23fff'%3E%3Ccircle cx='4' cy='8' r='1.5'/%3E%3Ccircle cx='8' cy='8' r='1.5'/%3E%3Ccircle cx='12' cy='8' r='1.5'/%3E%3C/g%3E%3C/svg%3E";

function style({ queue }: Room, { progress = 0, figure: shown }: RoomView): Html {
  const place = `:root{--progress:${progress};--chars:${shown?.value.length ?? 1}}`;
  return trusted(place + coloursOf(queue?.settings.template ?? null) + ROOM_STYLE);
}

/** A queue's settings are the same object for a second or two, and all its visitors see the same colours. */
const colours = new WeakMap<object, string>();
const NO_TEMPLATE = {};

function coloursOf(template: Template | null): string {
  const text = colours.get(template ?? NO_TEMPLATE) ?? paletteCss(template);
  colours.set(template ?? NO_TEMPLATE, text);
  return text;
}

/**
 * A shorter time would leave none to press a button; after a longer one the line would take a visitor at its head for
 * gone.
 */
const REFRESH_SECONDS_MIN = 2;

/** The address is named, so that a page that answered a form is asked for and not sent again. */
function refreshWithoutScript({ next, returnTo, isPreview }: Room): Html | undefined {
  if (!("afterMs" in next) || isPreview) return undefined;
  const afterSeconds = Math.max(REFRESH_SECONDS_MIN, Math.ceil(next.afterMs / 1000));
  return html`<noscript><meta http-equiv="refresh" content="${afterSeconds};url=${returnTo}"></noscript>`;
}

/**
 * A browser that is too old for the script, or one in which it fails, still comes back: this much every browser can do.
 */
const FALLBACK_MS_MIN = 10_000;

type ScriptTexts = { readonly texts: LiveTexts; readonly first: FirstTexts; readonly queueName: string };

function script(room: Room, { texts, first, queueName }: ScriptTexts): Html | undefined {
  if (room.isPreview) return undefined;
  const { state, next, queue, language, returnTo, nowMs, nonce, mayReload } = room;
  const { heartbeatTtlSeconds = 0, returnGraceSeconds = 0 } = queue?.settings ?? {};
  const facts: PageFacts = {
    state,
    next,
    queueId: queue?.queueId ?? "",
    queueName,
    locale: language.locale,
    texts: { ...texts, ...prequeueTexts(room, texts) },
    // The time at which places open is written again in the visitor's own time zone.
    ...(state.name === "prequeue" && state.placesOpenAtMs !== undefined && { early: earlyTexts(first, state.isDrawn) }),
    own: ownTextsOf(room),
    nowMs,
    silenceMsMax: heartbeatTtlSeconds * 1000,
    returnTo: mayReload ? null : returnTo,
    memoryCookie: memoryCookieName(queue?.queueId ?? ""),
    memorySeconds: heartbeatTtlSeconds + returnGraceSeconds,
  };
  const fallback = "afterMs" in next ? fallbackScript(Math.max(FALLBACK_MS_MIN, next.afterMs)) : "";
  return html`<script id="facts" type="application/json">${jsonForScript(facts)}</script>
<script nonce="${nonce}">${trusted(fallback)}</script>
<script nonce="${nonce}">${trusted(next.kind === "prove" ? SOLVER_SCRIPT : ROOM_SCRIPT)}</script>`;
}

/**
 * A script that watches the line may be led to the prequeue; one on a page for a visitor who came too early loads the
 * page again.
 */
function prequeueTexts(
  { state, queue }: Room,
  { prequeue, prequeueLot }: LiveTexts,
): Pick<LiveTexts, "prequeue" | "prequeueLot"> {
  const isEarly = state.name === "prequeue" && state.placesOpenAtMs !== undefined;
  const mayCome = !isEarly && (state.name === "prequeue" || (queue !== undefined && queue.settings.opensAt !== null));
  const isDrawn = state.name === "prequeue" ? state.isDrawn : queue?.settings.order !== "fifo";
  return {
    prequeue: mayCome && !isDrawn ? prequeue : undefined,
    prequeueLot: mayCome && isDrawn ? prequeueLot : undefined,
  };
}

/** Only the words of this very page: what it says of a draw, or of an order of arrival. */
function earlyTexts({ early, earlyLot }: FirstTexts, isDrawn: boolean): EarlyTexts {
  const lead = isDrawn ? earlyLot : early.lead;
  return { early: { heading: early.heading, lead }, earlyLot: lead };
}

function fallbackScript(afterMs: number): string {
  return `setTimeout(function(){if(!window.sluice)location.replace(document.getElementById("action").href)},${afterMs})`;
}

/** The texts that the script needs, those that only the edge writes, and those that are the same in every state. */
function textsByUse(language: Language) {
  const { page, checking, notFound, otherSite, banned, home, leftInside, ...more } = textsOf[language];
  const { full, storeDown, rateLimited, addressLimit, early, earlyLot, ended: all, ...others } = more;
  const { closed, revoked, ...ended } = all;
  const live = { ...others, ended };
  const refusals = { full, storeDown, rateLimited, addressLimit, closed, revoked };
  return {
    page,
    live,
    first: { checking, notFound, otherSite, banned, home, leftInside, early, earlyLot, ...refusals },
  };
}

function ownTextsOf({ queue, language }: Room): OwnTexts {
  return ownTexts(queue?.settings.template, { visitor: language.language, queue: queue?.settings.language ?? "en" });
}

/** A day's visitors come from a handful of regions, and Intl takes its time to get ready. */
const LOCALES_MAX = 100;
const known = new Map<string, Words>();

function wordsOf(locale: string): Words {
  const words = known.get(locale) ?? createWords(locale, "UTC");
  if (known.size >= LOCALES_MAX) known.clear();
  known.set(locale, words);
  return words;
}
