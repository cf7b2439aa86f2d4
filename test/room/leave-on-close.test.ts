import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../../kit/browser.ts";
import { startGateStack } from "../gate/gate-stack.ts";
import { until } from "../gate/visitor.ts";

/** The beacon of pages behind the gate, in a real browser. */
const stack = await startGateStack();
const { origin, url, redis } = stack;
const WITHIN_MS = 30_000;
/** As long as the gate waits after a beacon. */
const GRACE_MS = 10_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
  for (const queueId of ["closed", "walks", "tabs"]) await stack.setQueue(queueId);
  origin.answerWith((request, response) => {
    const [, queueId = ""] = (request.url ?? "").split("/");
    response.setHeader("content-type", "text/html");
    response.end(
      `<!doctype html><title>in</title><a href="next">Next page</a><script src="/_sluice/queues/${queueId}/leave-on-close.js"></script>`,
    );
  });
});
afterAll(() => browser.close());

async function enter(queueId: string): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const context = await browser.newContext();
  context.setDefaultTimeout(WITHIN_MS);
  const page = await context.newPage();
  await page.goto(`${url}/${queueId}/`);
  // The script says that the visitor is there, and so claims the session.
  await until(
    async () => (await redis.hget(`queue:{${queueId}}:session:${await sessionOf(queueId)}`, "last_activity")) !== null,
  );
  return { context, page };
}

const sessionOf = async (queueId: string) => (await redis.zrange(`queue:{${queueId}}:active`, "0", "-1"))[0] ?? "";
const inside = (queueId: string) => redis.zcount(`queue:{${queueId}}:active`, Date.now(), "+inf");
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.concurrent("a page with the beacon", () => {
  it("gives the slot back soon after it was closed", async () => {
    const { page, context } = await enter("closed");
    await page.close({ runBeforeUnload: true });
    await until(async () => (await inside("closed")) === 0);
    await context.close();
  });

  it("keeps the slot of a visitor who follows links, goes back and reloads", async () => {
    const { page, context } = await enter("walks");
    const session = await sessionOf("walks");
    for (let round = 0; round < 2; round++) {
      await page.getByRole("link").click();
      await page.waitForURL("**/next");
      await page.reload();
      await page.goBack();
    }
    await sleep(GRACE_MS + 2_000);
    expect([await inside("walks"), await sessionOf("walks")]).toEqual([1, session]);
    await context.close();
  });

  it("keeps the slot while another page of the site is open", async () => {
    const { page, context } = await enter("tabs");
    const other = await context.newPage();
    await other.goto(`${url}/tabs/other`);
    await sleep(9_000);
    await page.close({ runBeforeUnload: true });
    await sleep(GRACE_MS + 2_000);
    expect(await inside("tabs")).toBe(1);
    await context.close();
  });
});
