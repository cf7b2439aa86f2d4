import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser } from "../../kit/browser.ts";
import { processNamed, type StartedStack, startStack } from "../../kit/running-stack.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";

let browser: Browser;
let stack: StartedStack;
let folder: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  [browser, stack] = await Promise.all([launchBrowser(), startStack({ folder })]);
});

afterAll(async () => {
  await browser.close();
  stack.process.kill("SIGINT");
  await stack.exited;
});

describe("the health page in a browser", () => {
  it("is green when every part answers, and tells an operator which one does not and why, without any script", async () => {
    const { adminToken } = JSON.parse(await readFile(join(folder, "secrets.json"), "utf8")) as { adminToken: string };
    const extraHTTPHeaders = { authorization: `Bearer ${adminToken}` };
    const page = await browser.newPage({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 700 },
      extraHTTPHeaders,
    });
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    const response = await page.goto(`${stack.url}/_sluice/health`);
    expect(response?.status()).toBe(200);
    expect(await page.getByRole("heading").textContent()).toBe("Everything answers");
    expect(await page.getByRole("listitem").count()).toBe(10);
    expect(await page.locator("li.down").count()).toBe(0);
    // Each part has a name for people, and says what it is.
    for (const name of await page.locator("li p").allInnerTexts()) expect(name).toMatch(/^[A-Z][a-z]+( store)?: [a-z]/);
    expect(problems).toEqual([]);

    const { pid } = processNamed(folder, `redis-server 127.0.0.1:${stack.ports.venueRedis}`);
    process.kill(pid, "SIGSTOP");
    try {
      await expect.poll(async () => (await page.reload())?.status()).toBe(503);
      expect(await page.getByRole("heading").textContent()).toBe("Not answering: Venue store");
      expect(await page.locator("li.down").textContent()).toContain("The venue's Redis does not answer.");
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await page.close();
  });
});
