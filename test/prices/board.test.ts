import { mkdir } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../../kit/browser.ts";
import { SLOW_MACHINE_MS, type StartedStack, startStack } from "../../kit/running-stack.ts";
import { seriousFaults } from "../../kit/serious-faults.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";

/** The price board as a reader meets it after `npm start`, in a real Chromium and through the gate. */
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 900 };
const NARROW = { width: 320, height: 640 };
/** Pictures of every page, for people to look at: set to a folder. */
const PICTURES = process.env["SLUICE_PICTURES"];

let stack: StartedStack;
let browser: Browser;
beforeAll(async () => {
  [stack, browser] = await Promise.all([
    startStack({ folder: await temporaryFolder(), environment: { SLUICE_PRICES_WITHOUT_DEMO: "0" } }),
    launchBrowser(),
  ]);
  if (PICTURES !== undefined) await mkdir(PICTURES, { recursive: true });
}, SLOW_MACHINE_MS);
afterAll(() => browser.close());

type Opened = { readonly page: Page; readonly context: BrowserContext; readonly problems: readonly string[] };

async function open(path: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ serviceWorkers: "block", ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await expect
    .poll(async () => {
      await page.goto(`${stack.url}${path}`);
      return page.locator(".change bdi").count();
    })
    .toBeGreaterThan(0);
  problems.length = 0;
  await page.reload();
  return { page, context, problems };
}

const width = (page: Page) => page.evaluate("document.documentElement.scrollWidth");

describe("the board", () => {
  it.each([
    ["fa", "rtl", "دلار آمریکا (فروش)", "نمایشی"],
    ["en", "ltr", "US Dollar (Sell)", "Demo"],
    ["ar", "rtl", "الدولار الأمريكي (بيع)", "عرض تجريبي"],
  ])(
    "in %s is complete, marked as a demo, without a serious fault in light and dark, on a phone and a desk",
    async (language, dir, name, demo) => {
      const { page, problems, context } = await open(`/prices/?lang=${language}`, { viewport: DESKTOP });
      expect(await page.locator("html").getAttribute("dir")).toBe(dir);
      expect(await page.locator("#demo").textContent()).toContain(demo);
      await page.getByText(name).first().waitFor();
      expect(await page.locator(".row").count()).toBeGreaterThanOrEqual(40);
      await expect.poll(() => page.locator("#quota").textContent()).toMatch(/20|۲۰/);
      expect(await seriousFaults(page)).toEqual([]);
      for (const [shape, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE, narrow: NARROW }))
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          expect([shape, await width(page)]).toEqual([shape, viewport.width]);
          if (PICTURES !== undefined)
            await page.screenshot({ path: `${PICTURES}/board-${language}-${shape}-${colorScheme}.png` });
        }
      expect(problems).toEqual([]);
      await context.close();
    },
  );

  it("follows the browser's language, else Persian, and says so to caches", async () => {
    for (const [locale, language] of [
      ["ar-EG", "ar"],
      ["en-US", "en"],
      ["de-DE", "fa"],
    ]) {
      const { page, context } = await open("/prices/", { locale: locale ?? "" });
      expect([locale, await page.locator("html").getAttribute("lang")]).toEqual([locale, language]);
      await context.close();
    }
  });

  it("needs no script for its first view, and less than 60 kB", async () => {
    const { page, context } = await open("/prices/?lang=en", { javaScriptEnabled: false });
    expect(await page.locator(".price bdi").first().textContent()).toMatch(/^[\d,.]+$/);
    expect(await page.locator(".spark .line").count()).toBeGreaterThan(40);
    const html = await page.content();
    const assets = [...html.matchAll(/(?:href|src)="(\/prices\/assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, path = ""]) => path,
    );
    expect(assets).toHaveLength(2);
    const bodies = await Promise.all(
      assets.map(async (path) => (await page.request.get(`${stack.url}${path}`)).body()),
    );
    const bytes = [Buffer.from(html), ...bodies].reduce((sum, body) => sum + gzipSync(body).length, 0);
    expect(bytes).toBeLessThan(60_000);
    await context.close();
  });

  it("shows rials or tomans, Persian or Latin digits, and either calendar, as the reader likes", async () => {
    const { page, context, problems } = await open("/prices/usd_sell?lang=en", { viewport: DESKTOP });
    const price = page.locator(".huge bdi");
    const tomans = Number((await price.textContent())?.replaceAll(",", ""));
    await page.locator("summary").click();
    await page.getByRole("button", { name: "Rial" }).click();
    await expect.poll(async () => Number((await price.textContent())?.replaceAll(",", ""))).toBeGreaterThan(tomans * 9);
    await page.getByRole("button", { name: "۱۲۳" }).click();
    await expect.poll(() => price.textContent()).toMatch(/^[۰-۹٬٫]+$/);
    await page.getByRole("button", { name: "Jalali" }).click();
    await expect.poll(() => page.locator("#dates").textContent()).toMatch(/۱۴\d?/);
    // The choice stays.
    await page.goto(`${stack.url}/prices/?lang=en`);
    await expect.poll(() => page.locator(".price bdi").first().textContent()).toMatch(/^[۰-۹٬٫]+$/);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("finds items in any language", async () => {
    const { page, context } = await open("/prices/?lang=en", { viewport: DESKTOP });
    await page.locator("#search").fill("سکه");
    await expect.poll(() => page.locator(".row:visible").count()).toBe(5);
    await page.locator("#search").fill("zzz");
    await page.getByText("No item matches.").waitFor();
    await context.close();
  });

  it("counts a reader's refreshes", async () => {
    const { page, context } = await open("/prices/?lang=en", { viewport: DESKTOP });
    const left = async () => Number(/^(\d+) of 20/.exec((await page.locator("#quota").textContent()) ?? "")?.[1]);
    await expect.poll(left).toBeGreaterThan(0);
    const before = await left();
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect.poll(left).toBe(before - 1);
    expect(await page.locator("#quota").textContent()).toMatch(/new ones in \d+:\d\d/);
    await context.close();
  });

  it("can be installed", async () => {
    const { page, context } = await open("/prices/?lang=fa");
    const path = await page.locator('link[rel="manifest"]').getAttribute("href");
    const manifest = (await (await page.request.get(`${stack.url}${path}`)).json()) as Record<string, unknown>;
    expect(manifest).toMatchObject({ display: "standalone", scope: "/prices/", lang: "fa", dir: "rtl" });
    const [icon] = manifest["icons"] as readonly { readonly src: string }[];
    expect((await page.request.get(`${stack.url}${icon?.src}`)).headers()["content-type"]).toBe("image/svg+xml");
    await context.close();
  });
});

describe("one price", () => {
  it.each(["fa", "en", "ar"])(
    "in %s has a chart over ranges, comparisons and yesterday, without a serious fault",
    async (language) => {
      const { page, problems, context } = await open(`/prices/usd_sell?lang=${language}`, { viewport: DESKTOP });
      await page.locator("#chart canvas").first().waitFor();
      expect(await page.locator(".compare-row").count()).toBe(3);
      await page.locator('[data-range="1y"]').click();
      await expect.poll(() => page.locator('[data-range="1y"]').getAttribute("aria-current")).toBe("true");
      expect(await seriousFaults(page)).toEqual([]);
      for (const [shape, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE, narrow: NARROW }))
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          await expect.poll(() => width(page)).toBe(viewport.width);
          if (PICTURES !== undefined)
            await page.screenshot({
              path: `${PICTURES}/price-${language}-${shape}-${colorScheme}.png`,
              fullPage: true,
            });
        }
      expect(problems).toEqual([]);
      await context.close();
    },
  );

  it("answers for a day of either calendar, also without a script", async () => {
    const { page, context } = await open("/prices/btc?lang=en", { javaScriptEnabled: false });
    expect(await page.locator(".still .line").count()).toBe(1);
    const day = await page.request.get(`${stack.url}/api/v1/prices/btc/history?range=3m`);
    const [bar] = ((await day.json()) as { bars: readonly { date: string; dateJalali: string }[] }).bars.slice(5);
    for (const text of [bar?.date, bar?.dateJalali]) {
      await page.locator("#date").fill(text ?? "");
      await page.getByRole("button", { name: "Show" }).click();
      expect(await page.locator(".answer").textContent()).toContain(bar?.dateJalali);
    }
    await page.locator("#date").fill("1404/12/30");
    await page.getByRole("button", { name: "Show" }).click();
    expect(await page.locator(".answer").textContent()).toContain("not a day");
    await context.close();
  });

  it("of an unknown item is not found", async () => {
    const { page, context } = await open("/prices/?lang=en");
    expect((await page.request.get(`${stack.url}/prices/nothing`)).status()).toBe(404);
    expect((await page.request.get(`${stack.url}/prices/%3Cscript%3E`)).status()).toBe(404);
    await context.close();
  });
});

describe("without a connection", () => {
  it("the last prices are shown, and the page says so", async () => {
    const { page } = await open("/prices/?lang=en", { serviceWorkers: "allow" });
    await page.evaluate("navigator.serviceWorker.ready");
    await expect
      .poll(async () => {
        await page.reload();
        return page.evaluate("navigator.serviceWorker.controller !== null");
      })
      .toBe(true);
    await page.reload();
    await page.locator(".row").first().waitFor();
    await page.waitForLoadState("networkidle");
    stack.process.kill("SIGTERM");
    await stack.exited;
    await page.reload();
    expect(await page.locator(".row").count()).toBeGreaterThanOrEqual(40);
    await page.getByText("You are offline.").waitFor();
  });
});
