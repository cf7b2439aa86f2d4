import axe, { type AxeResults } from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queueSettingsSchema } from "../../edge/queue/settings.ts";
import { LANGUAGES, type Language } from "../../edge/room/language.ts";
import { renderRoom } from "../../edge/room/room.ts";
import { pageHeaders } from "../../edge/room/room-response.ts";
import { ROOM_STATE_NAMES, type RoomState } from "../../edge/room/room-state.ts";
import { sampleState } from "../../edge/room/sample-state.ts";
import type { Template } from "../../edge/room/template.ts";
import { launchBrowser } from "../parts/browser.ts";

/** Every page that the gate can show, in a real Chromium with the headers that it is sent with. */
const ADDRESS = "http://room.localhost/launch/";
const NOW_MS = Date.UTC(2026, 10, 20);
/** A window of 1,280 pixels at 400 %, which is also narrower than any phone. */
const NARROW = { width: 320, height: 640 };

const states: readonly RoomState[] = [
  ...ROOM_STATE_NAMES.map((name) => sampleState(name, NOW_MS)),
  { name: "waiting", place: { position: 1_234_567, total: 9_999_999, first: 2_000_000, estimate: { low: 40_000, high: 80_000 } } },
];

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

type Shown = { readonly state: RoomState; readonly language: Language; readonly template?: Template };

type OpenRoom = {
  readonly page: Page;
  readonly show: (shown: Shown) => Promise<void>;
  /** Whatever the browser complains about, refusals by the page's policy among them. */
  readonly problems: readonly string[];
};

async function openRoom(context: BrowserContext, change = (body: string) => body): Promise<OpenRoom> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  let shown: Shown | undefined;
  await page.route("**/*", async (route) => {
    if (shown === undefined || route.request().url() !== ADDRESS) return route.abort();
    const language = { language: shown.language, locale: shown.language };
    const body = renderRoom({
      state: shown.state,
      language,
      queue: { queueId: "launch", settings: queueSettingsSchema.parse({ ...SETTINGS, template: shown.template ?? null }) },
      siteName: "room.localhost",
      next: "place" in shown.state ? { kind: "poll", afterMs: 600_000 } : { kind: "retry", afterMs: 600_000 },
      returnTo: "/launch/",
      mayReload: true,
      isFormRefused: shown.state.name === "full",
      nonce: "nonce-of-this-page",
      requestId: "request-of-this-page",
      nowMs: NOW_MS,
    });
    return route.fulfill({ body: change(body), headers: pageHeaders({ nonce: "nonce-of-this-page", language }) });
  });
  const show = async (next: Shown) => {
    shown = next;
    await page.goto(ADDRESS);
  };
  return { page, show, problems };
}

const SETTINGS = { name: "Launch", maxActive: 1, admissionRate: 1, message: "Block A is sold out.\nB and C have plenty." };

/** Chosen as badly as one can: what is shown must be readable all the same. */
const BAD_COLOURS: Template = { colours: { light: { accent: "#ffff66", background: "#808080" }, dark: { accent: "#111111" } } };

/** What is wider than the place it has. The progress bar hides what flows through it, and is the only one to do so. */
const TOO_WIDE = `[document.documentElement, ...document.querySelectorAll("main *")]
  .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
  .filter((element) => element.closest(".progress") === null)
  .map((element) => element.outerHTML.slice(0, 100))`;

async function seriousFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
  const { violations } = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe("every page of the gate", () => {
  it.each(["light", "dark"] as const)("has no fault that axe calls serious or critical, in %s", async (colorScheme) => {
    const context = await browser.newContext({ colorScheme });
    const { page, show, problems } = await openRoom(context);
    for (const [index, state] of states.entries()) {
      const language = LANGUAGES[index % LANGUAGES.length] ?? "en";
      await show({ state, language, ...(index % 2 === 0 && { template: BAD_COLOURS }) });
      expect([state.name, await seriousFaults(page)]).toEqual([state.name, []]);
    }
    // The script ran under the page's own policy, and nothing was refused.
    expect(problems).toEqual([]);
    await context.close();
  });

  it("fits into the narrowest window in every language, and nothing is cut off", async () => {
    const context = await browser.newContext({ viewport: NARROW });
    const { page, show } = await openRoom(context);
    for (const language of LANGUAGES) {
      for (const state of states.filter(({ name }) => ["waiting", "prequeue", "storeDown"].includes(name))) {
        await show({ state, language });
        const tooWide = await page.evaluate(TOO_WIDE);
        expect([language, state.name, tooWide]).toEqual([language, state.name, []]);
      }
    }
    await context.close();
  });

  it("stands still for who asked for less motion", async () => {
    const context = await browser.newContext({ reducedMotion: "reduce" });
    const { page, show } = await openRoom(context);
    await show({ state: sampleState("waiting", NOW_MS), language: "en" });
    expect(await page.evaluate("document.getAnimations().length")).toBe(0);
    await context.close();
  });

  it("asks again by itself also in a browser that the script is too new for", async () => {
    const context = await browser.newContext();
    const { page, show } = await openRoom(context, (body) => body.replace(/(<script nonce="[^"]*">)\(function/, "$1?.("));
    await page.clock.install();
    await show({ state: { name: "full" }, language: "en" });
    const again = page.waitForRequest(ADDRESS);
    await page.clock.fastForward(600_000);
    expect((await again).method()).toBe("GET");
    await context.close();
  });
});
