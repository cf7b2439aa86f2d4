import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../../kit/browser.ts";
import { SLOW_MACHINE_MS, type StartedStack, startStack } from "../../kit/running-stack.ts";
import { seriousFaults } from "../../kit/serious-faults.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { createVisitor } from "../gate/visitor.ts";

/** The pages behind the gate, as a new user meets them after `npm start`. */
const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
/** A window of 1,280 pixels at 400 %. */
const NARROW = { width: 320, height: 640 };
const DEMO = "/demo/";

let stack: StartedStack;
let browser: Browser;
beforeAll(async () => {
  [stack, browser] = await Promise.all([startStack({ folder: await temporaryFolder() }), launchBrowser()]);
}, SLOW_MACHINE_MS);
afterAll(() => browser.close());

type Opened = { readonly page: Page; readonly problems: readonly string[]; readonly asked: string[] };

async function open(
  path: string,
  options: BrowserContextOptions & { readonly hasFakeClock?: boolean } = {},
): Promise<Opened> {
  const context = await browser.newContext({ locale: "en-US", ...options });
  const page = await context.newPage();
  const [problems, asked]: [string[], string[]] = [[], []];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => asked.push(`${request.method()} ${request.url().replace(stack.url, "")}`));
  if (options.hasFakeClock) await page.clock.install();
  await page.goto(`${stack.url}${path}`);
  // The demo admits one visitor per second: a visitor who comes sooner after another one waits in line first.
  if (path === DEMO) await page.getByRole("heading", { name: "You are in", exact: true }).waitFor();
  return { page, problems, asked };
}

const factOf = (page: Page, queueId: string, fact: string) =>
  page.locator(`[data-queue="${queueId}"] [data-fact="${fact}"]`);
/** Sent by the page that is shown now. The waiting room, if it came first, polls the same address. */
const heartbeats = (asked: readonly string[]) =>
  asked.slice(asked.lastIndexOf(`GET ${DEMO}`) + 1).filter((line) => line.endsWith("/heartbeat")).length;

describe("the front page", () => {
  it("shows both queues live, leads on, loads nothing from elsewhere, and has no serious fault", async () => {
    const { page, problems, asked } = await open("/");
    for (const queueId of ["venue", "demo"]) await factOf(page, queueId, "waiting").getByText(/^\d+$/).waitFor();
    await factOf(page, "venue", "active")
      .getByText(/^[1-9]\d* of 1,000$/)
      .waitFor();
    expect(await factOf(page, "demo", "wait").textContent()).toBe("none");
    for (const name of ["See a line", "Open the operator’s console", "Read the API documentation"]) {
      const target = await page.getByRole("link", { name }).getAttribute("href");
      expect((await page.request.get(`${stack.url}${target}`, { headers: BROWSER })).status()).toBe(200);
    }
    expect(asked.filter((line) => !/^GET \/(_sluice\/queues\/(venue|demo))?$/.test(line))).toEqual([]);
    expect(await seriousFaults(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("requests no numbers while its tab is hidden", async () => {
    const { page, asked } = await open("/", { hasFakeClock: true });
    await page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })");
    asked.length = 0;
    await page.clock.runFor(60_000);
    expect(asked).toEqual([]);
  });

  it.each(["/", DEMO, "/nothing"])("fits into the narrowest window at %s, also from right to left", async (path) => {
    const { page } = await open(path, { viewport: NARROW });
    for (const dir of ["ltr", "rtl"]) {
      await page.evaluate(`document.documentElement.dir = "${dir}"`);
      expect([dir, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([dir, NARROW.width]);
    }
    await page.request.post(`${stack.url}/_sluice/queues/demo/leave`);
  });
});

describe("the page inside the demo", () => {
  it("counts down the session, asks the gate once and when the visitor wants to stay, and has no serious fault", async () => {
    const { page, problems, asked } = await open(DEMO);
    await page.getByText(/^\d+(:\d\d){1,2}$/).waitFor();
    const left = await page.locator("#left").textContent();
    await expect.poll(() => page.locator("#left").textContent()).not.toBe(left);
    expect(heartbeats(asked)).toBe(1);
    await page.getByRole("button", { name: "Stay longer" }).click();
    await expect.poll(() => heartbeats(asked)).toBeGreaterThan(1);
    expect(await seriousFaults(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.getByRole("button", { name: "Leave and free your slot" }).click();
    await page.getByRole("heading", { name: "You have left" }).waitFor();
    expect(await page.locator("h1").textContent()).toBe("You have left");
    await page.getByRole("link", { name: "Join the line again" }).click();
    await page.getByRole("heading", { name: "You are in" }).waitFor();
    await page.request.post(`${stack.url}/_sluice/queues/demo/leave`);
  });

  it("says when the session is over, and requests nothing while its tab is hidden", async () => {
    const { page, asked } = await open(DEMO, { hasFakeClock: true });
    await page.locator("#left").getByText(/\d/).waitFor();
    await page.context().clearCookies();
    await page.evaluate("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })");
    asked.length = 0;
    await page.clock.fastForward(25 * 3_600_000);
    expect(asked).toEqual([]);
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { get: () => false }); document.dispatchEvent(new Event('visibilitychange'))",
    );
    await page.getByRole("heading", { name: "Your session is over" }).waitFor();
    expect(heartbeats(asked)).toBe(1);
    expect(await page.getByRole("button", { name: "Stay longer" }).isVisible()).toBe(false);
    expect(await page.getByRole("link", { name: "Join the line again" }).getAttribute("href")).toBe("/demo/");
    await page.clock.runFor(60_000);
    expect(heartbeats(asked)).toBe(1);
  });

  it("can be left without a script", async () => {
    const { page } = await open(DEMO, { javaScriptEnabled: false });
    expect(await page.locator("#countdown").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Leave and free your slot" }).click();
    expect(await page.locator("h1").textContent()).toBe("You have left");
  });
});

describe("an address of the venue that does not exist", () => {
  it.each(["/nothing/here", "/api/v1/nothing"])(
    "is a page for a browser at %s, and a problem for a program",
    async (path) => {
      const page = await createVisitor(stack.url).get(path, BROWSER);
      expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
      expect(page.text).toContain("<h1>Page not found</h1>");
      for (const accept of ["application/json", "*/*"]) {
        const problem = await createVisitor(stack.url).get(path, { accept });
        expect([problem.status, problem.json["code"]]).toEqual([404, "not_found"]);
      }
      const posted = await createVisitor(stack.url).send("POST", path, BROWSER);
      expect([posted.status, posted.json["code"]]).toEqual([404, "not_found"]);
    },
  );

  it("is a page that axe finds no serious fault with", async () => {
    const { page } = await open("/nothing/here");
    expect(await seriousFaults(page)).toEqual([]);
  });
});
