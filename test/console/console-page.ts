import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { launchBrowser } from "../../kit/browser.ts";
import { newSecret, systemRandom } from "../../shared/ids.ts";
import { type GateStack, startGateStack } from "../gate/gate-stack.ts";

/** An edge, a browser, and the operator's token, for one test file. */
export type ConsoleStack = GateStack & {
  readonly token: string;
  readonly consoleUrl: string;
  /** A separate window with its own cookies. */
  readonly openPage: (options?: BrowserContextOptions) => Promise<Page>;
  readonly openSignedIn: (options?: BrowserContextOptions) => Promise<Page>;
  /** The browser's complaints in one window, including refusals by the page's policy. */
  readonly problemsOf: (page: Page) => string[];
};

/** A busy machine draws slowly. */
const SHOWN_WITHIN_MS = 20_000;

export async function startConsoleStack(): Promise<ConsoleStack> {
  const token = newSecret(systemRandom);
  const stack = await startGateStack({ edgeCount: 2, variables: { SLUICE_ADMIN_TOKEN: token } });
  const browser = await launchBrowser();
  afterAll(() => browser.close());
  const problems = new WeakMap<Page, string[]>();
  const problemsOf = (page: Page) => problems.get(page) ?? [];
  const consoleUrl = `${stack.url}/_sluice/console`;

  async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(SHOWN_WITHIN_MS);
    const complaints: string[] = [];
    problems.set(page, complaints);
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    return page;
  }

  async function openSignedIn(options?: BrowserContextOptions): Promise<Page> {
    const page = await openPage(options);
    await page.goto(consoleUrl);
    await signIn(page, token);
    return page;
  }

  return { ...stack, token, consoleUrl, openPage, openSignedIn, problemsOf };
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel("Operator token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Queues" }).waitFor();
}

/** Navigates inside the console without a reload, and waits for the view. */
export async function goTo(page: Page, place: string, heading: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await page.getByRole("heading", { name: heading, exact: false }).first().waitFor();
}

/** No sideways scrolling except inside scrollable elements. */
export async function expectNoSidewaysScroll(page: Page, where: string): Promise<void> {
  const [content, window] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [
    number,
    number,
  ];
  expect(content, where).toBeLessThanOrEqual(window);
}

export const numberOf = (text: string | null): number => Number((text ?? "").replaceAll(",", "").split(" ", 1)[0]);
