import { decodeJwt } from "jose";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchBrowser } from "../../kit/browser.ts";
import { startHttpsServer, startTlsProxy } from "../../kit/https.ts";
import { startGateStack } from "../gate/gate-stack.ts";
import { createVisitor } from "../gate/visitor.ts";

/**
 * The effects of a form on another site, over https in a real browser: a bank that sends its customer back, or an
 * attacker.
 */
const stack = await startGateStack({ isHttps: true });
const { origin, url } = stack;
const shop = `https://localhost:${await startTlsProxy({ port: stack.edges[0]?.port ?? 0 })}`;
const bank = `https://127.0.0.1:${await startHttpsServer((request, response) => {
  const action = new URL(request.url ?? "", "https://bank.test").searchParams.get("to") ?? "";
  response.setHeader("content-type", "text/html");
  response.end(
    `<form method="post" action="${action}"><input name="paid" value="yes"><button>Back to the shop</button></form>`,
  );
})}`;
const WITHIN_MS = 30_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
  for (const sameSite of ["lax", "none"] as const) {
    await stack.setQueue(sameSite, { sameSite });
    await stack.setQueue(`full-${sameSite}`, { sameSite, mode: "paused" });
  }
});
afterAll(() => browser.close());
beforeEach(() => origin.reset());

async function open(): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
  const context = await browser.newContext({ locale: "en-US", ignoreHTTPSErrors: true });
  context.setDefaultTimeout(WITHIN_MS);
  return { page: await context.newPage(), context };
}

async function postFromBank(page: Page, path: string): Promise<number> {
  await page.goto(`${bank}/?to=${encodeURIComponent(shop + path)}`);
  const [answer] = await Promise.all([page.waitForResponse(`${shop}${path}`), page.getByRole("button").click()]);
  return answer.status();
}

async function token(context: BrowserContext, name: string) {
  const cookie = (await context.cookies(shop)).find((sent) => sent.name === `__Host-sluice-${name}`);
  return { id: cookie === undefined ? undefined : decodeJwt(cookie.value).sub, sameSite: cookie?.sameSite };
}

const posts = () => origin.requests.filter(({ method }) => method === "POST").map(({ body }) => body.toString());

describe("a form of another site", () => {
  it("costs a waiting visitor nothing: the place is kept, and Continue leads back to it", async () => {
    const { page, context } = await open();
    await page.goto(`${shop}/full-lax/`);
    const { id: ticket, sameSite } = await token(context, "ticket-full-lax");
    expect([typeof ticket, sameSite]).toEqual(["string", "Lax"]);
    expect(await postFromBank(page, "/full-lax/")).toBe(403);
    await page.getByRole("heading", { name: "Please continue here" }).waitFor();
    expect(await page.getByText("What you sent did not go through.").isVisible()).toBe(true);
    expect((await token(context, "ticket-full-lax")).id).toBe(ticket);
    await page.getByRole("link", { name: "Continue" }).click();
    await page
      .getByRole("heading", { name: "You are in line" })
      .or(page.getByRole("heading", { name: "The line is paused" }))
      .waitFor();
    expect((await token(context, "ticket-full-lax")).id).toBe(ticket);
    expect(posts()).toEqual([]);
  });

  it("leaves an admitted visitor in the session, and is not carried out", async () => {
    const { page, context } = await open();
    await page.goto(`${shop}/lax/`);
    const { id: session } = await token(context, "pass-lax");
    expect(await postFromBank(page, "/lax/paid")).toBe(403);
    await page.getByRole("link", { name: "Continue" }).click();
    await page.locator("body", { hasText: '"url":"/lax/paid"' }).waitFor();
    expect([(await token(context, "pass-lax")).id, posts()]).toEqual([session, []]);
  });

  it("reaches the application in the visitor's session where the queue's cookies are SameSite=None", async () => {
    const { page, context } = await open();
    await page.goto(`${shop}/none/`);
    const { id: session, sameSite } = await token(context, "pass-none");
    expect([typeof session, sameSite]).toEqual(["string", "None"]);
    expect(await postFromBank(page, "/none/paid")).toBe(200);
    expect([(await token(context, "pass-none")).id, posts()]).toEqual([session, ["paid=yes"]]);
  });

  it("shows a waiting visitor the same place where the queue's cookies are SameSite=None", async () => {
    const { page, context } = await open();
    await page.goto(`${shop}/full-none/`);
    const { id: ticket } = await token(context, "ticket-full-none");
    expect(await postFromBank(page, "/full-none/buy")).toBe(503);
    expect([(await token(context, "ticket-full-none")).id, posts()]).toEqual([ticket, []]);
  });
});

describe("a picture on another site", () => {
  it("takes no place, whatever the client", async () => {
    const { page } = await open();
    await page.goto(`${bank}/`);
    const before = await stack.redis.zcard("queue:{lax}:active");
    // As text: the program is the page's, and what it uses is not there in Node.
    await page.evaluate(
      `new Promise((resolve) => Object.assign(new Image(), { onerror: resolve, src: "${shop}/lax/logo.png" }))`,
    );
    expect([await stack.redis.zcard("queue:{lax}:active"), origin.requests.length]).toEqual([before, 0]);
    expect((await createVisitor(url).get("/_sluice/queues/lax")).status).toBe(200);
  });
});
