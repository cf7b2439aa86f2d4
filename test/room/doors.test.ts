import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../../kit/browser.ts";
import { startGateStack } from "../gate/gate-stack.ts";
import { createVisitor, JSON_PLEASE } from "../gate/visitor.ts";

/** How a person's browser comes in where work is asked for, and with an invitation. */
const OPERATOR = "operator-token-of-this-test";
const stack = await startGateStack({ variables: { SLUICE_ADMIN_TOKEN: OPERATOR } });
const { url, redis } = stack;
const WITHIN_MS = 30_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
  for (const queueId of ["work", "alone", "again", "noscript"]) await stack.setQueue(queueId, { proofOfWork: 14 });
  await stack.setQueue("guests", { mode: "paused" });
});
afterAll(() => browser.close());

type Opened = { readonly page: Page; readonly problems: string[] };

async function open(options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ locale: "en-US", ...options });
  context.setDefaultTimeout(WITHIN_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => /Content Security Policy/.test(message.text()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  return { page, problems };
}

const untilInside = (page: Page, target: string) =>
  page.locator("body", { hasText: `"url":${JSON.stringify(target)}` }).waitFor();

describe.concurrent("a page that asks for work", () => {
  it("says so, does it in a worker under its own policy, and leads on to the page that was asked for", async () => {
    const { page, problems } = await open();
    let workers = 0;
    page.on("worker", () => workers++);
    // The answer waits until the page was shown.
    await page.route("**/enter", async (route) => {
      await page.getByRole("heading", { name: "Checking your browser" }).waitFor();
      await route.continue();
    });
    await page.goto(`${url}/work/buy?seat=12`);
    await untilInside(page, "/work/buy?seat=12");
    expect([workers, problems]).toEqual([1, []]);
    expect(await redis.keys("queue:{work}:proof:*")).toHaveLength(1);
  });

  it("does the work on the page where the browser allows no workers", async () => {
    const { page, problems } = await open();
    await page.addInitScript("globalThis.Worker = class { constructor() { throw new Error('forbidden'); } };");
    await page.goto(`${url}/alone/x`);
    await untilInside(page, "/alone/x");
    expect(problems).toEqual([]);
  });

  it("gets new work when the solution was not taken", async () => {
    const { page } = await open();
    let refusals = 0;
    await page.route("**/enter", (route) =>
      refusals++ === 0 ? route.fulfill({ status: 428, headers: { "retry-after": "0" } }) : route.continue(),
    );
    await page.goto(`${url}/again/x`);
    await untilInside(page, "/again/x");
    expect(refusals).toBe(2);
  });

  it("says plainly what it needs without JavaScript", async () => {
    const { page } = await open({ javaScriptEnabled: false });
    await page.goto(`${url}/noscript/`);
    expect(await page.locator("noscript p").textContent()).toMatch(/^This step needs JavaScript/);
    expect(await page.locator("noscript p").isVisible()).toBe(true);
  });
});

describe("a link with an invite", () => {
  async function inviteTo(queueId: string): Promise<string> {
    const headers = { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" };
    const { json } = await createVisitor(url).send(
      "POST",
      `/_sluice/admin/queues/${queueId}/invites`,
      headers,
      '{"lane":2}',
    );
    return String(json["invite"]);
  }

  it("leads to the clean URL and the better place; the second time it says that it was used", async () => {
    for (const _ahead of [1, 2]) await createVisitor(url).get("/guests/", JSON_PLEASE);
    const invite = await inviteTo("guests");
    const [first, second] = [await open(), await open()];
    await first.page.goto(`${url}/guests/hall?row=3&sluice-invite=${invite}`);
    expect([first.page.url(), await first.page.locator("#position").textContent()]).toEqual([
      `${url}/guests/hall?row=3`,
      "1",
    ]);
    expect(await first.page.evaluate("document.referrer")).toBe("");
    await second.page.goto(`${url}/guests/?sluice-invite=${invite}`);
    await second.page.getByText("Your invitation has already been used.").waitFor();
    expect([second.page.url(), await second.page.locator("#position").textContent()]).toEqual([`${url}/guests/`, "4"]);
    expect([...first.problems, ...second.problems]).toEqual([]);
  });
});
