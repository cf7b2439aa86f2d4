import "./board.css";
import type { BoardItem } from "../../board/board-item.ts";
import { boardDates, boardMain, type ListedItem } from "../view/board-view.ts";
import { detailFacts, detailMore } from "../view/detail-view.ts";
import { defaultLook, type Look } from "../view/look.ts";
import { choices } from "../view/page-shell.ts";
import type { BoardLanguage } from "../view/texts.ts";
import { startQuota } from "./quota.ts";

/**
 * Keeps the page's prices current and applies a reader's choices. The page is complete without it; it never asks more
 * often than every half minute, and not at all while the page is hidden.
 */
const EVERY_MS = 30_000;
const LOOK_KEY = "sluice-prices-look";

const language = document.body.dataset["language"] as BoardLanguage;
const itemCode = document.querySelector<HTMLElement>(".detail")?.dataset["item"];
let look: Look = { ...defaultLook(language), ...storedLook(), language };
let shownRevision = "";

const element = (id: string) => document.getElementById(id);

function storedLook(): Partial<Look> {
  try {
    const { digits, calendar, rial } = JSON.parse(localStorage.getItem(LOOK_KEY) ?? "{}") as Partial<Look>;
    return {
      ...((digits === "persian" || digits === "latin") && { digits }),
      ...((calendar === "jalali" || calendar === "gregorian") && { calendar }),
      ...((rial === "toman" || rial === "rial") && { rial }),
    };
  } catch {
    return {};
  }
}

type Loaded = { readonly items: readonly ListedItem[] } | BoardItem;

async function load(): Promise<void> {
  const response = await fetch(itemCode === undefined ? "/api/v1/prices" : `/api/v1/prices/${itemCode}`, {
    headers: { accept: "application/json" },
  });
  // The service worker marks what it has kept.
  setOffline(response.headers.has("x-kept") || !navigator.onLine);
  if (!response.ok) return;
  const text = await response.text();
  if (text === shownRevision) return;
  shownRevision = text;
  show(JSON.parse(text) as Loaded);
}

function show(loaded: Loaded): void {
  if ("items" in loaded) {
    replace("list", boardMain(loaded.items, look).text);
    setHtml("dates", boardDates(loaded.items, Date.now(), look).text);
    filter();
  } else {
    setHtml("facts", detailFacts(loaded, look).text);
    setHtml("more", detailMore(loaded, look).text);
    setHtml("dates", boardDates([loaded], Date.now(), look).text);
  }
}

/** Templates escape everything that is not their own. */
function setHtml(id: string, markup: string): void {
  const place = element(id);
  if (place !== null && place.innerHTML !== markup) place.innerHTML = markup;
}

/** A reader with the keyboard on an item stays on it. */
function replace(id: string, markup: string): void {
  const focused = document.activeElement?.getAttribute("data-item");
  const place = element(id);
  if (place === null) return;
  place.outerHTML = markup;
  if (focused)
    document.querySelector<HTMLElement>(`[data-item="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

function setOffline(isOffline: boolean): void {
  const note = element("offline");
  if (note !== null) note.hidden = !isOffline;
}

async function loadQuietly(): Promise<void> {
  if (document.hidden) return;
  await load().catch(() => setOffline(true));
}

function showChoices(): void {
  const place = element("looks");
  if (place === null) return;
  place.hidden = false;
  place.innerHTML = choices(look).text;
  for (const button of place.querySelectorAll<HTMLButtonElement>("button[data-look]"))
    button.addEventListener("click", () => {
      look = { ...look, [button.dataset["look"] ?? ""]: button.value };
      localStorage.setItem(LOOK_KEY, JSON.stringify(look));
      shownRevision = "";
      showChoices();
      element("looks")?.querySelector<HTMLButtonElement>(`button[value="${button.value}"]`)?.focus();
      quota.setLook(look);
      dispatchEvent(new CustomEvent("look", { detail: look }));
      void loadQuietly();
    });
}

function filter(): void {
  const input = element("search") as HTMLInputElement | null;
  const wanted = input?.value.trim().toLowerCase() ?? "";
  let found = 0;
  for (const row of document.querySelectorAll<HTMLElement>("[data-words]")) {
    row.hidden = !(row.dataset["words"] ?? "").includes(wanted);
    if (!row.hidden) found++;
  }
  for (const group of document.querySelectorAll<HTMLElement>(".group"))
    group.hidden = group.querySelector("li:not([hidden])") === null;
  document.querySelector<HTMLElement>(".glance")?.toggleAttribute("hidden", wanted !== "");
  element("none")?.toggleAttribute("hidden", found > 0);
}

const quota = startQuota({ nowMs: () => Date.now(), look, itemCode: itemCode ?? "", onFresh: loadQuietly });
showChoices();
const search = element("search") as HTMLInputElement | null;
if (search !== null) {
  search.hidden = false;
  search.addEventListener("input", filter);
}
addEventListener("online", () => void loadQuietly());
addEventListener("offline", () => setOffline(true));
document.addEventListener("visibilitychange", () => void loadQuietly());
setInterval(() => void loadQuietly(), EVERY_MS);
void loadQuietly();
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("/prices/sw.js").catch(() => {});
