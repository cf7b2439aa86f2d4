import { decodeJwt } from "jose";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { createVisitor, until } from "../gate/visitor.ts";
import { expectNoSidewaysScroll, goTo, numberOf, seriousFaults, signIn, startConsoleStack } from "./console-page.ts";
import { startCrowd } from "./crowd.ts";

const stack = await startConsoleStack();
const { redis, token, consoleUrl, openPage, openSignedIn, problems } = stack;
/** The numbers follow within some looks; a busy machine takes longer. */
const FOLLOWS = { timeout: 30_000, interval: 200 };

/** It waits for the pace to be counted three times over. */
const LONG_TEST_MS = 180_000;

/** What the focus is on, as far as its text or its label tells. */
const FOCUSED_NAME = 'document.activeElement.textContent.trim() || document.activeElement.labels?.[0]?.textContent || ""';

const modeOf = async (queueId: string) => (await stack.registry.readQueue(queueId))?.settings.mode;
const tile = (page: Page, name: string) => page.locator(`[data-value="${name}"]`);
const pace = (page: Page) => async () => numberOf(await tile(page, "rate").textContent());

// What one test has left behind is not the next one's fault.
beforeEach(() => {
  problems.length = 0;
});

describe("signing in to the console", () => {
  it("refuses a wrong token, and keeps a right one nowhere", async () => {
    const page = await openPage();
    await page.goto(consoleUrl);
    await page.getByLabel("Operator token").fill("not-the-operator-token");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("This is not the operator token.");
    await signIn(page, token);
    const kept = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])");
    expect(kept).toBe('[{},{},""]');
    const cookies = await page.context().cookies(`${consoleUrl}/x`);
    expect(cookies.map(({ httpOnly, sameSite, path }) => ({ httpOnly, sameSite, path }))).toEqual([
      { httpOnly: true, sameSite: "Strict", path: "/_sluice" },
    ]);
    expect(JSON.stringify(cookies)).not.toContain(token);

    await page.reload();
    await page.getByRole("heading", { name: "Queues" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Operator token").waitFor();
    await page.reload();
    await page.getByLabel("Operator token").waitFor();
    // The wrong token is the only thing that the browser has complained about.
    expect(problems.splice(0)).toEqual([expect.stringContaining("401")]);
  });

  it("does not let a page of the application act with the operator's cookie", async () => {
    await stack.setQueue("neighbour");
    const page = await openSignedIn();
    await page.goto(`${stack.url}/neighbour/`);
    const seen = await page.evaluate(async () => {
      const read = await fetch("/_sluice/admin/queues");
      const change = await fetch("/_sluice/admin/queues/neighbour", {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: '{"mode":"open"}',
      });
      const key = /console-key" content="([^"]*)"/.exec(await (await fetch("/_sluice/console")).text())?.[1];
      return { statuses: [read.status, change.status], key };
    });
    expect(seen).toEqual({ statuses: [403, 403], key: "" });
    expect(await modeOf("neighbour")).toBe("active");
    problems.length = 0;
  });
});

describe("a queue in the console", () => {
  it(
    "is paused and run again in one click, and its numbers and curves follow; so they do a change of the rate",
    async () => {
      await stack.setQueue("launch", { maxActive: 5_000, admissionRate: 12, admissionBurst: 12 });
      const crowd = await startCrowd(redis, "launch", 1_500);
      try {
        const page = await openSignedIn();
        await page.getByRole("link", { name: /Queue launch/ }).click();
        await expect.poll(pace(page), FOLLOWS).toBeGreaterThan(4);
        expect(numberOf(await tile(page, "waiting").textContent())).toBeGreaterThan(500);

        await page.getByRole("button", { name: "Pause" }).click();
        await page.getByRole("status").getByText("Paused").waitFor();
        expect(await modeOf("launch")).toBe("paused");
        await expect.poll(pace(page), FOLLOWS).toBe(0);
        expect(await page.getByRole("img", { name: /^Let in per second: now 0,/ }).count()).toBe(1);
        expect(await tile(page, "clears").textContent()).toBe("never");

        await page.getByRole("button", { name: "Run" }).click();
        await expect.poll(() => modeOf("launch"), FOLLOWS).toBe("active");
        await expect.poll(pace(page), FOLLOWS).toBeGreaterThan(4);

        await page.getByLabel("Rate").fill("60");
        const effect = /^At 60\/s the [\d,]+ waiting clear in about \d+ s instead of about \d+ (s|min)\.$/;
        await page.getByText(effect).waitFor();
        await page.getByRole("button", { name: "Review change" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByText(effect).waitFor();
        expect(await dialog.getByText("Admission rate").locator("..").textContent()).toContain("12 → 60");
        await dialog.getByRole("button", { name: "Change it" }).click();
        await dialog.waitFor({ state: "detached" });
        expect((await stack.registry.readQueue("launch"))?.settings.admissionRate).toBe(60);
        await expect.poll(pace(page), FOLLOWS).toBeGreaterThan(20);
        await page.context().close();
      } finally {
        await crowd.stop();
      }
    },
    LONG_TEST_MS,
  );

  it("drains in one click, but lets everybody in only after a yes", async () => {
    await stack.setQueue("doors");
    const page = await openSignedIn();
    await goTo(page, "#/queues/doors", "Queue doors");
    await page.getByRole("button", { name: "Drain" }).click();
    await expect.poll(() => modeOf("doors"), FOLLOWS).toBe("drain");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => modeOf("doors"), FOLLOWS).toBe("active");
    await page.getByRole("status").getByText("Running again").waitFor();
    await page.getByRole("button", { name: "Drain" }).click();
    await expect.poll(() => modeOf("doors"), FOLLOWS).toBe("drain");
    const newcomer = await createVisitor(stack.url).get("/doors/", { accept: "application/json" });
    expect([newcomer.status, newcomer.json["code"]]).toEqual([503, "queue_closed"]);

    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("dialog").getByText("past the cap of 100").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await modeOf("doors")).toBe("drain");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("button", { name: "Yes, open" }).click();
    await expect.poll(() => modeOf("doors"), FOLLOWS).toBe("open");
    await page.context().close();
  });

  it("shows what somebody else has changed, and overwrites it only after a second yes", async () => {
    await stack.setQueue("shared", { maxActive: 10 });
    const page = await openSignedIn();
    await goTo(page, "#/queues/shared", "Queue shared");
    await page.getByLabel("Cap").fill("20");
    await page.getByRole("button", { name: "Review change" }).click();
    const dialog = page.getByRole("dialog");
    const other = await stack.registry.readQueue("shared");
    if (other === undefined) throw new Error("the queue is gone");
    await stack.registry.writeQueue("shared", { ...other.settings, maxActive: 15, message: "Sold out soon" }, other.version);
    await dialog.getByRole("button", { name: "Change it" }).click();
    const alert = dialog.getByRole("alert");
    await alert.getByText("Somebody else has changed this queue").waitFor();
    expect(await alert.textContent()).toContain("Sold out soon");
    expect((await stack.registry.readQueue("shared"))?.settings.maxActive).toBe(15);
    await dialog.getByRole("button", { name: "Change it anyway" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await stack.registry.readQueue("shared"))?.settings).toMatchObject({ maxActive: 20, message: "Sold out soon" });
    // The refusal of the first try.
    expect(problems.splice(0)).toEqual([expect.stringContaining("409")]);
    await page.context().close();
  });

  it("gets an event, its faults named by field, and shows the visitor's page before it", async () => {
    await stack.setQueue("show");
    const page = await openSignedIn();
    await goTo(page, "#/queues/show/event", "Queue show");
    await page.getByLabel("Places can be taken from").fill("2030-05-01T18:00:00");
    await page.getByLabel("The line begins to move at").fill("2030-05-01T17:00:00");
    await page.getByRole("button", { name: "Review event" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Schedule it" }).click();
    await dialog.getByRole("alert").getByText("must be before opensAt").waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("The line begins to move at").fill("2030-05-01T20:00:00");
    await page.getByRole("group", { name: "During the event" }).getByLabel("Rate").fill("80");
    await page.getByRole("button", { name: "Review event" }).click();
    await dialog.getByRole("button", { name: "Schedule it" }).click();
    await dialog.waitFor({ state: "detached" });
    const settings = (await stack.registry.readQueue("show"))?.settings;
    expect(settings).toMatchObject({ eventOverrides: { admissionRate: 80 } });
    expect((settings?.opensAt ?? 0) - (settings?.prequeueOpensAt ?? 0)).toBe(2 * 3_600_000);

    const frame = page.frameLocator("iframe");
    await page.getByLabel("Language").selectOption("fa");
    await expect.poll(() => frame.locator("html").getAttribute("dir"), FOLLOWS).toBe("rtl");
    await page.getByLabel("State").selectOption("maintenance");
    await expect.poll(() => frame.locator("h1").count(), FOLLOWS).toBe(1);
    expect(problems.splice(0)).toEqual([expect.stringContaining("422")]);
    await page.context().close();
  });

  it("revokes a session that was found by its id: its visitor is out, at the other edge too, within 2 s", async () => {
    await stack.setQueue("inside", { revocationCheck: "fast" });
    const there = stack.edges[1]?.url ?? "";
    const visitor = createVisitor(there);
    expect((await visitor.get("/inside/")).status).toBe(200);
    const pass = visitor.cookies.get("sluice-pass-inside") ?? "";
    const sessionId = String(decodeJwt(pass).sub);
    const isServed = async () => {
      stack.origin.reset();
      await createVisitor(there).get("/inside/asked", { cookie: `sluice-pass-inside=${pass}` });
      return stack.origin.requests.some(({ headers }) => headers.get("x-sluice-pass")?.[0] === pass);
    };
    expect(await isServed()).toBe(true);

    const page = await openSignedIn();
    await goTo(page, "#/queues/inside/sessions", "Queue inside");
    await page.getByLabel("Find a session").fill(sessionId);
    await page.getByRole("button", { name: `Revoke ${sessionId}` }).click();
    await page.getByLabel("Reason").fill("abuse");
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("status").getByText("is revoked").waitFor();
    expect(await until(async () => !(await isServed()))).toBeLessThan(2_000);
    expect(await page.getByText(sessionId).count()).toBe(0);

    await goTo(page, "#/queues/inside/changes", "Queue inside");
    await page.getByText("abuse").waitFor();
    await page.context().close();
  });

  it("gives out an invite once, and takes it back", async () => {
    await stack.setQueue("guests");
    const page = await openSignedIn();
    await goTo(page, "#/queues/guests/invites", "Queue guests");
    await page.getByLabel("Note").fill("press");
    await page.getByRole("button", { name: "Make an invite" }).click();
    const link = (await page.locator("code.link").textContent()) ?? "";
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/guests\/\?sluice-invite=[\w.-]+$/);
    await page.getByRole("button", { name: "Take back" }).click();
    await page.getByText("Taken back.").waitFor();
    await page.context().close();
  });
});

describe("everybody can use it", () => {
  const VIEWS = [
    ["#/", "Queues"],
    ["#/queues/seen", "Queue seen"],
    ["#/queues/seen/event", "Queue seen"],
    ["#/queues/seen/sessions", "Queue seen"],
    ["#/queues/seen/invites", "Queue seen"],
    ["#/queues/seen/changes", "Queue seen"],
    ["#/audit", "Audit log"],
    ["#/queues/nowhere", "No such queue"],
  ] as const;

  it.each(["light", "dark"] as const)("on a phone and with a screen reader, in %s", async (colorScheme) => {
    if ((await stack.registry.readQueue("seen")) === undefined) {
      await stack.setQueue("seen", { maxActive: 2, message: "Words to those who wait" });
      for (let index = 0; index < 4; index++) await createVisitor(stack.url).get("/seen/");
    }
    const page = await openPage({ colorScheme, viewport: { width: 360, height: 740 } });
    await page.goto(consoleUrl);
    await page.getByLabel("Operator token").waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await signIn(page, token);
    for (const [place, heading] of VIEWS) {
      await goTo(page, place, heading);
      await page.getByText("Reading…").waitFor({ state: "detached" });
      expect(await seriousFaults(page), place).toEqual([]);
      await expectNoSidewaysScroll(page, place);
    }
    await goTo(page, "#/queues/seen", "Queue seen");
    await page.getByLabel("Rate").fill("7");
    await page.getByRole("button", { name: "Review change" }).click();
    expect(await seriousFaults(page)).toEqual([]);
    await expectNoSidewaysScroll(page, "the dialog");
    problems.length = 0;
    await page.context().close();
  });

  it("with the keyboard alone: signs in, opens a queue, pauses it, changes its rate", async () => {
    await stack.setQueue("keys");
    const page = await openPage();
    await page.goto(consoleUrl);
    await page.getByLabel("Operator token").waitFor();
    const focused = () => page.evaluate(FOCUSED_NAME) as Promise<string>;
    const tabTo = async (what: string | RegExp) => {
      for (let presses = 0; presses < 60; presses++) {
        await page.keyboard.press("Tab");
        const name = await focused();
        if (typeof what === "string" ? name === what : what.test(name)) return;
      }
      throw new Error(`the Tab key does not lead to ${what}`);
    };
    await tabTo("Operator token");
    await page.keyboard.type(token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Queues" }).waitFor();
    await page.getByRole("link", { name: /Queue keys/ }).waitFor();
    await tabTo(/^Queue keys/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    expect(await focused()).toContain("keys");
    await tabTo("Pause");
    await page.keyboard.press("Space");
    await expect.poll(() => modeOf("keys"), FOLLOWS).toBe("paused");
    await page.getByRole("button", { name: "Pause", pressed: true }).waitFor();
    await tabTo("Rate");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("33");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await tabTo("Change it");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect((await stack.registry.readQueue("keys"))?.settings.admissionRate).toBe(33);
    expect(problems.splice(0)).toEqual([]);
    await page.context().close();
  });
});
