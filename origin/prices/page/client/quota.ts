import { countdown, inDigits, type Look } from "../view/look.ts";
import { TEXTS } from "../view/texts.ts";

/** The refresh button, how many refreshes are left, and the countdown to the next window. */
type QuotaParts = {
  readonly nowMs: () => number;
  readonly look: Look;
  readonly itemCode: string;
  readonly onFresh: () => Promise<void>;
};
type State = {
  readonly limit: number;
  readonly remaining: number;
  readonly windowEndsAt: number;
  readonly secondsToNextWindow: number;
};

const TICK_MS = 1_000;
/** A provider that may be asked early answers within a moment. */
const FETCHED_AFTER_MS = 2_500;
/** The list has no item of its own: the first one counts for all. */
const ANY_ITEM = "usd_sell";

export function startQuota({ nowMs, look: first, itemCode, onFresh }: QuotaParts) {
  let look = first;
  let state: State | undefined;
  let endsAtMs = 0;
  const button = document.getElementById("refresh") as HTMLButtonElement | null;
  const place = document.getElementById("quota");

  function show(): void {
    if (place === null || state === undefined) return;
    const texts = TEXTS[look.language];
    const seconds = Math.max(0, Math.ceil((endsAtMs - nowMs()) / 1_000));
    const left = texts.refreshesLeft
      .replace("{left}", inDigits(String(state.remaining), look))
      .replace("{limit}", inDigits(String(state.limit), look));
    const text = `${left} · ${texts.nextWindow.replace("{time}", countdown(seconds, look))}`;
    // A countdown that is read out every second would be noise.
    place.setAttribute("aria-live", "off");
    if (place.textContent !== text) place.textContent = text;
    if (button !== null) button.disabled = state.remaining === 0;
    if (seconds === 0) void read();
  }

  function take(next: State): void {
    state = next;
    endsAtMs = nowMs() + next.secondsToNextWindow * 1_000;
    show();
  }

  async function read(): Promise<void> {
    state = undefined;
    const response = await fetch("/api/v1/prices/quota", { cache: "no-store" }).catch(() => undefined);
    if (response?.ok) take((await response.json()) as State);
  }

  async function refresh(): Promise<void> {
    button?.classList.add("busy");
    const response = await fetch(`/api/v1/prices/${itemCode === "" ? anyItem() : itemCode}?fresh=true`, {
      cache: "no-store",
    }).catch(() => undefined);
    if (response?.ok) take(((await response.json()) as { quota: State }).quota);
    await new Promise((resolve) => setTimeout(resolve, FETCHED_AFTER_MS));
    await onFresh();
    button?.classList.remove("busy");
  }

  if (button !== null) {
    button.hidden = false;
    button.addEventListener("click", () => void refresh());
  }
  void read();
  setInterval(show, TICK_MS);
  return {
    setLook(next: Look): void {
      look = next;
      show();
    },
  };
}

function anyItem(): string {
  return document.querySelector<HTMLElement>("[data-item]")?.dataset["item"] ?? ANY_ITEM;
}
