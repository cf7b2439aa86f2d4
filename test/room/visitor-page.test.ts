// @module-tag timing: Chromium sends a form within the claim window of another visitor.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QueueSettings } from "../../edge/line/settings.ts";
import { launchBrowser } from "../../kit/browser.ts";
import { startGateStack } from "../gate/gate-stack.ts";
import { createVisitor, JSON_PLEASE, type Seen, until, type Visitor } from "../gate/visitor.ts";

/**
 * The visitor's page in a real Chromium, in front of a real line. The tests run concurrently: each has its own queue
 * and browser profile.
 */
const stack = await startGateStack();
const { url, redis, origin } = stack;

const WITHIN_MS = 30_000;
/** Long enough for a busy machine to open the page before. */
const EVENT_IN_MS = 12_000;

/** One person inside, and all others wait; near the head polls come every second. */
const NARROW: Partial<QueueSettings> = { maxActive: 1, admissionRate: 100, admissionBurst: 100 };
let tries = 0;

const queues: Readonly<Record<string, Partial<QueueSettings>>> = {
  falls: NARROW,
  lanes: NARROW,
  noscript: NARROW,
  hidden: NARROW,
  offline: NARROW,
  persian: NARROW,
  keyboard: NARROW,
  told: NARROW,
  operator: NARROW,
  lost: NARROW,
};

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
  // The queue that edges learn of has a number after its name.
  await Promise.all(Object.entries(queues).map(([queueId, settings]) => stack.setQueue(queueId, settings)));
});
afterAll(() => browser.close());

type Crowd = { readonly inside: Visitor; readonly ahead: readonly Visitor[] };

/** One visitor is inside, and this many are in line before the page is opened. */
async function crowd(queueId: string, ahead: number): Promise<Crowd> {
  const [inside, ...others] = Array.from({ length: ahead + 1 }, () => createVisitor(url)) as [Visitor, ...Visitor[]];
  // The first one twice: who does not come back with the pass gives the slot back soon.
  for (const visitor of [inside, inside, ...others]) await visitor.get(`/${queueId}/`, JSON_PLEASE);
  const [taken, waiting] = [
    await redis.zcard(`queue:{${queueId}}:active`),
    await redis.zcard(`queue:{${queueId}}:waiting`),
  ];
  const isTold =
    inside.cookies.has(`sluice-pass-${queueId}`) &&
    others.every(({ cookies }) => cookies.has(`sluice-ticket-${queueId}`));
  if (isTold && taken === 1 && waiting === ahead) return { inside, ahead: others };
  // On a very busy machine a join may be refused, or its answer lost: then it counts as not made.
  await redis.del(["active", "ready", "waiting", "beats"].map((key) => `queue:{${queueId}}:${key}`));
  return crowd(queueId, ahead);
}

const leave = (queueId: string, visitor: Visitor) =>
  until(async () => (await visitor.send("POST", `/_sluice/queues/${queueId}/leave`)).status === 204, {
    withinMs: WITHIN_MS,
  });

type Opened = { readonly page: Page; readonly problems: string[] };

type OpenOptions = BrowserContextOptions & { readonly prepare?: (page: Page) => Promise<unknown> };

/** One for each queue: a second try must not find the page of the first one in line. */
const contexts = new Map<string, BrowserContext>();

async function open(path: string, options: OpenOptions = {}): Promise<Opened> {
  const { prepare, ...contextOptions } = options;
  const [, queueId = ""] = path.split("/");
  await contexts.get(queueId)?.close();
  const context = await browser.newContext({ locale: "en-US", ...contextOptions });
  contexts.set(queueId, context);
  context.setDefaultTimeout(WITHIN_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => /Content Security Policy/.test(message.text()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await prepare?.(page);
  await page.goto(`${url}${path}`);
  return { page, problems };
}

/** On a very busy machine the line may not answer at once; then the page retries. */
async function openInLine(path: string, options: OpenOptions = {}): Promise<Opened> {
  const opened = await open(path, options);
  await opened.page.locator('[data-state="waiting"]').waitFor();
  return opened;
}

const seen = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
const headed = (page: Page, text: string) => page.getByRole("heading", { name: text }).waitFor();
const place = (page: Page) => page.locator("#position").textContent();
const untilPlace = (page: Page, text: string) =>
  until(async () => (await place(page)) === text, { withinMs: WITHIN_MS });
/** The origin's answer to an admitted visitor. */
const untilInside = (page: Page, target: string) =>
  page.locator("body", { hasText: `"url":${JSON.stringify(target)}` }).waitFor();

async function cookiesOf(page: Page): Promise<string> {
  return (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
}

/** The line's answer to the visitor on this page. */
async function ownState(page: Page, queueId: string): Promise<Seen> {
  return createVisitor(url).send("POST", `/_sluice/queues/${queueId}/heartbeat`, { cookie: await cookiesOf(page) });
}

/** Headless Chromium has no hidden tabs, so the page's visibility is overridden. */
const HIDE = `document.isHiddenNow = false;
Object.defineProperty(document, "hidden", { get: () => document.isHiddenNow });
globalThis.setHidden = (isHidden) => { document.isHiddenNow = isHidden; document.dispatchEvent(new Event("visibilitychange")); };`;

/** Polls that were answered; one that was not is tried again sooner. */

// Those that wait longest come first.
describe.concurrent("the page of a visitor in line", () => {
  it("counts down to the start of an event, and continues from there", async () => {
    const opensAt = Date.now() + EVENT_IN_MS;
    await stack.setQueue("event", { prequeueOpensAt: opensAt - 60_000, opensAt, order: "lottery" });
    const { page } = await open("/event/");
    await headed(page, "You are in the draw");
    await seen(page, "gets a place by lot");
    const left = await place(page);
    expect(left).toMatch(/^00:00:\d\d$/);
    await until(async () => (await place(page)) !== left, { withinMs: WITHIN_MS });
    await page.getByText("How the order works").click();
    const { ticketId } = (await ownState(page, "event")).json;
    await seen(page, String(ticketId));
    await untilInside(page, "/event/");
    expect(Date.now()).toBeGreaterThan(opensAt);
  });

  it("keeps the place in a hidden tab, and waits for the visitor when it is the turn", async () => {
    const { inside, ahead } = await crowd("hidden", 1);
    const { page } = await openInLine("/hidden/", { prepare: (opened) => opened.addInitScript(HIDE) });
    await untilPlace(page, "2");
    await page.evaluate("setHidden(true)");
    await leave("hidden", ahead[0] as Visitor);
    await untilPlace(page, "1");
    await leave("hidden", inside);
    await headed(page, "It is your turn");
    expect(await page.title()).toMatch(/^It is your turn · Queue hidden\b/);
    await page.evaluate("setHidden(false)");
    await untilInside(page, "/hidden/");
  });

  it("shows the place fall, says when it is the turn, and then the page that was asked for, path and query kept", async () => {
    const { inside, ahead } = await crowd("falls", 2);
    const { page, problems } = await openInLine("/falls/buy?seat=12&row=%C3%A4#top");
    await untilPlace(page, "3");
    expect(await page.title()).toMatch(/^3 · Queue falls\b/);
    await seen(page, "2 people ahead of you");
    expect(await page.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("3");
    for (const [index, visitor] of ahead.entries()) {
      await leave("falls", visitor);
      await untilPlace(page, String(2 - index));
    }
    await seen(page, "You are next");
    expect(await page.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("67");
    await seen(page, /^Last update: \d/);
    await leave("falls", inside);
    await headed(page, "It is your turn");
    await untilInside(page, "/falls/buy?seat=12&row=%C3%A4");
    expect(page.url()).toBe(`${url}/falls/buy?seat=12&row=%C3%A4#top`);
    expect(problems).toEqual([]);
  });

  it("never shows a worse place, not even after a reload", async () => {
    await crowd("lanes", 1);
    const { page } = await openInLine("/lanes/");
    await untilPlace(page, "2");
    // A visitor of a higher lane goes ahead of all others.
    await redis.zadd("queue:{lanes}:waiting", 2 ** 50, "a-guest-with-an-invitation");
    await until(async () => (await ownState(page, "lanes")).json["position"] === 3, { withinMs: WITHIN_MS });
    await page.waitForResponse(
      async (response) => /heartbeat/.test(response.url()) && (await response.json())["position"] === 3,
    );
    expect(await place(page)).toBe("2");
    await page.reload();
    expect(await place(page)).toBe("2");
  });

  it("works without a script: it reloads, leaves by a form, and enters", async () => {
    const { inside, ahead } = await crowd("noscript", 1);
    const { page } = await openInLine("/noscript/x?y=1", { javaScriptEnabled: false });
    await untilPlace(page, "2");
    await leave("noscript", ahead[0] as Visitor);
    await untilPlace(page, "1");
    await page.getByRole("button", { name: "Leave the line" }).click();
    await headed(page, "You have left the line");
    expect(await redis.zcard("queue:{noscript}:waiting")).toBe(0);
    await page.getByRole("link", { name: "Join the line again" }).click();
    await untilPlace(page, "1");
    await leave("noscript", inside);
    await untilInside(page, "/noscript/x?y=1");
  });

  it("says when it is offline, and continues where it was", async () => {
    const { ahead } = await crowd("offline", 1);
    const { page } = await openInLine("/offline/");
    await page.context().setOffline(true);
    await seen(page, "You are offline");
    await leave("offline", ahead[0] as Visitor);
    expect(await place(page)).toBe("2");
    await page.context().setOffline(false);
    await untilPlace(page, "1");
    await page.locator("#notice").waitFor({ state: "hidden" });
  });

  it("is written from right to left for a reader of Persian, with Persian digits, and fits a phone", async () => {
    await crowd("persian", 1);
    const { page } = await openInLine("/persian/", {
      locale: "fa-IR",
      viewport: { width: 360, height: 740 },
      colorScheme: "dark",
    });
    expect(await page.locator("html").getAttribute("dir")).toBe("rtl");
    expect(await page.locator("h1").textContent()).toBe("شما در صف هستید");
    expect(await place(page)).toBe("۲");
    const [bar, filled] = [
      await page.locator("#progress").boundingBox(),
      await page.locator("#progress i").boundingBox(),
    ];
    expect(filled?.width).toBeLessThan((bar?.width ?? 0) / 2);
    expect(Math.round((filled?.x ?? 0) + (filled?.width ?? 0))).toBe(Math.round((bar?.x ?? 0) + (bar?.width ?? 0)));
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
  });

  it("can be used with only the keyboard", async () => {
    await crowd("keyboard", 0);
    const { page } = await openInLine("/keyboard/?a=1");
    const focused = () => page.evaluate("document.activeElement.textContent.trim()");
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("Tab");
    expect(await focused()).toBe("Tell me when it is my turn");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await press("Tab", "Enter");
    expect(await focused()).toBe("How the order works");
    await page.getByText("Is it fair?").waitFor();
    await press("Tab");
    expect(await focused()).toBe("Leave the line");
    await press("Enter");
    await seen(page, "Your place will go to the next person.");
    expect(await focused()).toBe("Yes, leave the line");
    await press("Enter");
    await headed(page, "You have left the line");
    await press("Tab");
    expect(await focused()).toBe("Join the line again");
    await press("Enter");
    await headed(page, "You are in line");
    expect(page.url()).toBe(`${url}/keyboard/?a=1`);
  });

  it("rings and notifies on request, when it is the visitor's turn in another tab", async () => {
    const { inside } = await crowd("told", 0);
    const record = `globalThis.told = [];
      globalThis.Notification = class { static permission = "granted"; constructor(title, { body }) { told.push(title, body); } };
      const Note = OscillatorNode;
      globalThis.OscillatorNode = class extends Note { constructor(...options) { super(...options); told.push("note"); } };`;
    const { page } = await openInLine("/told/", { prepare: (opened) => opened.addInitScript(HIDE + record) });
    const button = page.locator("#notify");
    await button.click();
    expect([await button.getAttribute("aria-pressed"), await button.textContent()]).toEqual([
      "true",
      "We will tell you when it is your turn",
    ]);
    await page.evaluate("told.length = 0; setHidden(true)");
    await leave("told", inside);
    await headed(page, "It is your turn");
    expect(await page.evaluate("told")).toEqual([
      "note",
      "note",
      "It is your turn",
      expect.stringMatching(/^Queue told\b/),
    ]);
  });

  it("never sends a form again: it goes back to where it was filled in, and says that nothing was sent", async () => {
    // A new queue each time: a page of an earlier try would take the slot.
    const queueId = `forms-${tries++}`;
    await stack.setQueue(queueId, NARROW);
    const asked: string[] = [];
    origin.answerWith((request, response) => {
      const isForm = request.url?.startsWith(`/${queueId}/`) ?? false;
      const form = `<!doctype html><form method="post" action="/${queueId}/buy"><button>Buy</button></form>`;
      if (isForm) asked.push(`${request.method} ${request.url}`);
      response.setHeader("content-type", isForm ? "text/html" : "application/json");
      response.end(isForm ? form : JSON.stringify({ method: request.method, url: request.url }));
    });
    const { page } = await open(`/${queueId}/fill?in=1`);
    await page.getByRole("button", { name: "Buy" }).waitFor();
    const leaving = () => page.context().request.post(`${url}/_sluice/queues/${queueId}/leave`);
    await until(async () => (await leaving()).status() !== 503, { withinMs: WITHIN_MS });
    await page.context().clearCookies();
    const other = createVisitor(url);
    const isIn = async () => (await other.get(`/${queueId}/`, JSON_PLEASE)).headers.get("content-type") === "text/html";
    await until(isIn, { withinMs: WITHIN_MS });
    // The slot is claimed: it is held for as long as this takes.
    await until(isIn, { withinMs: WITHIN_MS });
    asked.length = 0;
    await page.getByRole("button", { name: "Buy" }).click();
    await seen(page, "What you sent did not go through.");
    await leave(queueId, other);
    await page.getByRole("button", { name: "Buy" }).waitFor();
    expect(page.url()).toBe(`${url}/${queueId}/fill?in=1`);
    expect(asked).toEqual([`GET /${queueId}/fill?in=1`]);
  });

  it("shows the operator's messages and changes during the wait", async () => {
    await crowd("operator", 0);
    const { page } = await openInLine("/operator/");
    await headed(page, "You are in line");
    await stack.setQueue("operator", { ...NARROW, mode: "paused", message: "Back at noon. <b>Sorry!</b>" });
    await headed(page, "The line is paused");
    await seen(page, "Back at noon. <b>Sorry!</b>");
    expect(await page.locator("#estimate").isVisible()).toBe(false);
    await stack.setQueue("operator", { ...NARROW, mode: "open" });
    await untilInside(page, "/operator/");
  });

  it("says so when the ticket is gone or was given up elsewhere, instead of joining again and again", async () => {
    await crowd("lost", 0);
    const { page } = await openInLine("/lost/");
    await page.context().clearCookies();
    await headed(page, "We cannot find your ticket");
    await page.getByRole("link", { name: "Join the line again" }).click();
    await headed(page, "You are in line");
    // As another program would, whose answer this browser does not see.
    const cookie = await cookiesOf(page);
    await until(
      async () => (await createVisitor(url).send("POST", "/_sluice/queues/lost/leave", { cookie })).status === 204,
      {
        withinMs: WITHIN_MS,
      },
    );
    await headed(page, "You have left the line");
    // The place whose ticket was lost, and at most one more, of a join whose answer came too late for the edge.
    expect(await redis.zcard("queue:{lost}:waiting")).toBeLessThanOrEqual(2);
  });
});
