import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LANGUAGES, type Language } from "../../edge/line/page/language.ts";
import type { Template } from "../../edge/line/page/template.ts";
import { queueSettingsSchema } from "../../edge/line/settings.ts";
import { renderRoom } from "../../edge/room/room.ts";
import { pageHeaders } from "../../edge/room/room-response.ts";
import { ROOM_STATE_NAMES, type RoomState, type WaitingFacts } from "../../edge/room/room-state.ts";
import { sampleState } from "../../edge/room/sample-state.ts";
import { launchBrowser } from "../../kit/browser.ts";
import { seriousFaults } from "../../kit/serious-faults.ts";

/** Every page that the gate can show, in a real Chromium with the headers that it is sent with. */
const ADDRESS = "http://room.localhost/launch/";
const NOW_MS = Date.UTC(2026, 10, 20);
/** A window of 1,280 pixels at 400 %, which is also narrower than any phone. */
const NARROW = { width: 320, height: 640 };

const states: readonly RoomState[] = [
  ...ROOM_STATE_NAMES.map((name) => sampleState(name, NOW_MS)),
  {
    name: "waiting",
    place: { position: 1_234_567, total: 9_999_999, first: 2_000_000, estimate: { low: 40_000, high: 80_000 } },
  },
];

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

type Shown = {
  readonly state: RoomState;
  readonly language: Language;
  readonly template?: Template;
  readonly pollAfterMs?: number;
};

type OpenRoom = {
  readonly page: Page;
  readonly show: (shown: Shown) => Promise<void>;
  /** The line answers one poll with this, and the page has heard it. The page's clock is a fake one. */
  readonly answerPoll: (facts: Partial<WaitingFacts>) => Promise<void>;
  /** The browser's complaints, including refusals by the page's policy. */
  readonly problems: readonly string[];
};

async function openRoom(context: BrowserContext, change = (body: string) => body): Promise<OpenRoom> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  let shown: Shown | undefined;
  let facts: object = {};
  let polls = 0;
  await page.route("**/*", async (route) => {
    if (route.request().url().endsWith("/heartbeat")) return route.fulfill({ json: facts });
    if (shown === undefined || route.request().url() !== ADDRESS) return route.abort();
    const language = { language: shown.language, locale: shown.language };
    const body = bodyOf(shown);
    return route.fulfill({ body: change(body), headers: pageHeaders({ nonce: "nonce-of-this-page", language }) });
  });
  const show = async (next: Shown) => {
    shown = next;
    await page.goto(ADDRESS);
  };
  const answerPoll = async (changes: Partial<WaitingFacts>) => {
    const pollAfterMs = shown?.pollAfterMs ?? MUCH_LATER_MS;
    polls += 1;
    facts = { state: "waiting", ...WAITING, ...changes, total: WAITING.total + polls, pollAfterMs };
    await page.clock.runFor(pollAfterMs * WITH_JITTER);
    // A number that no other answer has.
    await page
      .locator("#crowd", { hasText: (WAITING.total + polls).toLocaleString(shown?.language) })
      .waitFor({ state: "attached" });
  };
  return { page, show, answerPoll, problems };
}

function bodyOf({ state, language, template, pollAfterMs }: Shown): string {
  const isPolling = pollAfterMs !== undefined || "place" in state;
  return renderRoom({
    state,
    language: { language, locale: language },
    queue: { queueId: "launch", settings: queueSettingsSchema.parse({ ...SETTINGS, template: template ?? null }) },
    siteName: "room.localhost",
    next: { kind: isPolling ? "poll" : "retry", afterMs: pollAfterMs ?? MUCH_LATER_MS },
    returnTo: "/launch/",
    mayReload: true,
    isFormRefused: state.name === "full",
    nonce: "nonce-of-this-page",
    requestId: "request-of-this-page",
    nowMs: NOW_MS,
  });
}

/** Several windows in one page: opening each takes longer than checking it. */
function frameOf(body: string): string {
  const escaped = body.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe style="border:0" width="${NARROW.width}" height="${NARROW.height}" srcdoc="${escaped}"></iframe>`;
}

/** A test that only shows a page must not navigate. */
const MUCH_LATER_MS = 600_000;
const WITH_JITTER = 1.2;
const WAITING: WaitingFacts = {
  position: 1_204,
  total: 5_310,
  estimatedWaitSeconds: { low: 130, high: 250 },
  enqueuedAt: 1,
  mode: "active",
};

/** Everything that the page gives a screen reader to say. */
const LISTEN = `globalThis.told = [];
const region = document.getElementById("status");
new MutationObserver(() => told.push(region.textContent)).observe(region, { childList: true })`;

const SETTINGS = {
  name: "Launch",
  maxActive: 1,
  admissionRate: 1,
  message: "Block A is sold out.\nB and C have plenty.",
};

/** The worst choice of colours: the page must still be readable. */
const BAD_COLOURS: Template = {
  colours: { light: { accent: "#ffff66", background: "#808080" }, dark: { accent: "#111111" } },
};

/** Elements wider than their container. The progress bar clips its content, and is the only one to do so. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll("main *")]
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
  .filter((element) => element.closest(".progress") === null)
  .map((element) => element.outerHTML.slice(0, 100))`;

/** The page as its script has left it, put into another one that has axe already. */
async function copyTo(copy: Page, page: Page): Promise<void> {
  const read =
    "({ html: document.documentElement.innerHTML, own: [...document.documentElement.attributes].map(({ name, value }) => [name, value]) })";
  const taken = JSON.stringify(await page.evaluate(read));
  await copy.evaluate(`const { html, own } = ${taken};
    document.documentElement.innerHTML = html;
    for (const [name, value] of own) document.documentElement.setAttribute(name, value);
    for (const details of document.querySelectorAll("details")) details.open = true;`);
}

describe("every page of the gate", () => {
  it("has no fault that axe calls serious or critical, in light and dark", async () => {
    const context = await browser.newContext();
    const { page, show, problems } = await openRoom(context);
    const copy = await context.newPage();
    for (const [index, state] of states.entries()) {
      const language = LANGUAGES[index % LANGUAGES.length] ?? "en";
      await show({ state, language, ...(index % 2 === 0 && { template: BAD_COLOURS }) });
      await copyTo(copy, page);
      expect([state.name, await seriousFaults(copy)]).toEqual([state.name, []]);
    }
    // The script ran under the page's own policy, and nothing was refused.
    expect(problems).toEqual([]);
    await context.close();
  });

  it("fits into the narrowest window in every language, and nothing is cut off", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    for (const language of LANGUAGES) {
      const shown = states.filter(({ name }) => ["waiting", "prequeue", "storeDown"].includes(name));
      await page.setContent(shown.map((state) => frameOf(bodyOf({ state, language }))).join(""));
      for (const [index, frame] of page.mainFrame().childFrames().entries()) {
        await frame.waitForLoadState();
        const found = await frame.evaluate(`[innerWidth, ${TOO_WIDE}]`);
        expect([language, shown[index]?.name, found]).toEqual([language, shown[index]?.name, [NARROW.width, []]]);
      }
      expect(page.mainFrame().childFrames()).toHaveLength(shown.length);
    }
    await context.close();
  });

  it("does not animate for visitors who prefer reduced motion", async () => {
    const context = await browser.newContext({ reducedMotion: "reduce" });
    const { page, show } = await openRoom(context);
    await show({ state: sampleState("waiting", NOW_MS), language: "en" });
    expect(await page.evaluate("document.getAnimations().length")).toBe(0);
    await context.close();
  });

  it("moves only where something is pending", async () => {
    const context = await browser.newContext();
    const { page, show } = await openRoom(context);
    const moving: string[] = [];
    for (const state of states) {
      await show({ state, language: "en" });
      if ((await page.evaluate("document.getAnimations().length")) !== 0) moving.push(state.name);
    }
    expect(new Set(moving)).toEqual(
      new Set(["checking", "waiting", "yourTurn", "full", "maintenance", "storeDown", "rateLimited"]),
    );
    await context.close();
  });

  it("marks an operator's words with their language, and its own without, as the state changes", async () => {
    const context = await browser.newContext();
    const { page, show, answerPoll } = await openRoom(context);
    await page.addInitScript("globalThis.Worker = undefined");
    await page.clock.install({ time: NOW_MS });
    const languageOf = (selector: string) =>
      page.evaluate(`(({ lang, dir }) => [lang, dir])(document.querySelector("${selector}"))`);
    await show({
      state: sampleState("waiting", NOW_MS),
      language: "de",
      template: { title: "Welcome" },
      pollAfterMs: 10_000,
    });
    expect([await languageOf("h1"), await languageOf("#lead")]).toEqual([
      ["en", "auto"],
      ["", ""],
    ]);
    await answerPoll({ mode: "paused" });
    expect(await languageOf("h1")).toEqual(["", ""]);
    await answerPoll({ mode: "active" });
    expect(await languageOf("h1")).toEqual(["en", "auto"]);
    await context.close();
  });

  it("tells a screen reader of a new state, of half the way and after a minute, and not of every poll", async () => {
    const context = await browser.newContext();
    const { page, show, answerPoll } = await openRoom(context);
    // A fake clock has no power over a worker's.
    await page.addInitScript("globalThis.Worker = undefined");
    await page.clock.install({ time: NOW_MS });
    const opensAt = NOW_MS + 86_400_000;
    await show({
      state: { name: "prequeue", opensAtMs: opensAt, total: 20, isDrawn: true },
      language: "en",
      pollAfterMs: 10_000,
    });
    await page.evaluate(LISTEN);
    const told = () => page.evaluate("told.splice(0)");
    for (let polls = 0; polls < 3; polls++)
      await answerPoll({ position: null, phase: "prequeue", opensAt, order: "lottery" });
    expect(await told()).toEqual([]);
    await answerPoll({ position: 900 });
    expect(await told()).toEqual(["You are in line. Your place in line. 900. about 2–5 minutes"]);
    for (const position of [890, 700, 451]) await answerPoll({ position });
    expect(await told()).toEqual([]);
    await answerPoll({ position: 450 });
    expect(await told()).toEqual([expect.stringContaining("450")]);
    for (const position of [440, 430, 420]) await answerPoll({ position });
    expect(await told()).toEqual([]);
    for (const position of [410, 400, 390]) await answerPoll({ position });
    expect(await told()).toHaveLength(1);
    await answerPoll({ position: 390, mode: "paused" });
    expect(await told()).toEqual([expect.stringContaining("The line is paused")]);
    await context.close();
  });

  it("reloads also in a browser that is too old for the script", async () => {
    const context = await browser.newContext();
    const { page, show } = await openRoom(context, (body) =>
      body.replace(/(<script nonce="[^"]*">)\(function/, "$1?.("),
    );
    await page.clock.install();
    await show({ state: { name: "full" }, language: "en" });
    const again = page.waitForRequest(ADDRESS);
    await page.clock.fastForward(600_000);
    expect((await again).method()).toBe("GET");
    await context.close();
  });
});
