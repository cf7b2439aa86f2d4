import { decodeJwt } from "jose";
import type { Page } from "playwright-core";
import { describe, it } from "vitest";
import { seriousFaults } from "../../kit/serious-faults.ts";
import { createVisitor, until } from "../gate/visitor.ts";
import { expectNoSidewaysScroll, goTo, numberOf, signIn, startConsoleStack } from "./console-page.ts";
import { startCrowd } from "./crowd.ts";

const stack = await startConsoleStack();
const { redis, token, consoleUrl, openPage, openSignedIn, problemsOf } = stack;
/** The numbers follow within some looks; a busy machine takes longer. */
const FOLLOWS = { timeout: 30_000, interval: 200 };

/** It waits for the pace to be counted three times over. */
const LONG_TEST_MS = 180_000;

/** The focused element, by its text or label. */
const FOCUSED_NAME =
  'document.activeElement.textContent.trim() || document.activeElement.labels?.[0]?.textContent || ""';

/** Where the tab that is chosen ends. */
const CURRENT_TAB_RIGHT = 'document.querySelector(".tabs [aria-current]").getBoundingClientRect().right';

const modeOf = async (queueId: string) => (await stack.registry.readQueue(queueId))?.settings.mode;
const tile = (page: Page, name: string) => page.locator(`[data-value="${name}"]`);
const pace = (page: Page) => async () => numberOf(await tile(page, "rate").textContent());

// Three lanes, because most of a test is waiting; more would wait for each other. Concurrent tests need their own
// `expect`.
describe.concurrent("a line in the console", () => {
  it(
    "is paused and run again in one click, and its numbers and curves follow; so they do a change of the rate",
    async ({ expect }) => {
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
        expect(await page.getByRole("img", { name: /^Admitted per second: now 0,/ }).count()).toBe(1);
        expect(await tile(page, "clears").textContent()).toBe("never");

        await page.getByRole("button", { name: "Run" }).click();
        await expect.poll(() => modeOf("launch"), FOLLOWS).toBe("active");
        await expect.poll(pace(page), FOLLOWS).toBeGreaterThan(4);

        await page.getByLabel("Admission rate").fill("60");
        const effect = /^At 60\/s the [\d,]+ waiting clear in about \d+ s instead of about \d+ (s|min)\.$/;
        await page.getByText(effect).waitFor();
        await page.getByRole("button", { name: "Review change" }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByText(effect).waitFor();
        expect(await dialog.getByText("Admission rate", { exact: true }).locator("..").textContent()).toContain(
          "12 → 60",
        );
        await dialog.getByRole("button", { name: "Change admission rate" }).click();
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
});

describe.concurrent("the console", () => {
  describe.sequential("signing in to the console", () => {
    it("refuses a wrong token, and keeps a right one nowhere", async ({ expect }) => {
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
      expect(problemsOf(page)).toEqual([expect.stringContaining("401")]);
      await page.context().close();
    });

    it("does not let a page of the application act with the operator's cookie", async ({ expect }) => {
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
      await page.context().close();
    });
  });

  describe.sequential("a queue in the console", () => {
    it("drains in one click, but opens the queue only after a confirmation", async ({ expect }) => {
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
      await page.getByRole("dialog").getByText("past the maximum inside of 100").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await modeOf("doors")).toBe("drain");
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await page.getByRole("button", { name: "Admit everyone" }).click();
      await expect.poll(() => modeOf("doors"), FOLLOWS).toBe("open");
      await page.context().close();
    });

    it("takes a second click before it has read the queue again, and tells its own change from a concurrent one", async ({
      expect,
    }) => {
      await stack.setQueue("quick");
      const page = await openSignedIn();
      await goTo(page, "#/queues/quick", "Queue quick");
      await page.getByRole("button", { name: "Run", pressed: true }).waitFor();
      // From here on it reads nothing more.
      await page.route("**/admin/queues/quick*", (route) =>
        route.request().method() === "GET" ? undefined : route.continue(),
      );
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("button", { name: "Pause", pressed: true }).waitFor();
      expect(await modeOf("quick")).toBe("paused");
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("button", { name: "Run", pressed: true }).waitFor();
      expect(await modeOf("quick")).toBe("active");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("status").getByText("Paused again").waitFor();
      expect(await modeOf("quick")).toBe("paused");
      expect([await page.getByRole("dialog").count(), problemsOf(page)]).toEqual([0, []]);
      await page.context().close();
    });

    it("reads a queue again at once after a change, also when a look was under way", async ({ expect }) => {
      await stack.setQueue("looked");
      const page = await openSignedIn();
      await goTo(page, "#/queues/looked", "Queue looked");
      await page.getByRole("button", { name: "Run", pressed: true }).waitFor();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const { promise: underWay, resolve: begin } = Promise.withResolvers<void>();
      let looks = 0;
      await page.route("**/admin/queues/looked", async (route) => {
        if (route.request().method() !== "GET" || looks++ > 0) return route.continue();
        const stale = await route.fetch();
        begin();
        await released;
        return route.fulfill({ response: stale });
      });
      await underWay;
      // From here on no timer of the page rings.
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("status").getByText("Paused").waitFor();
      const again = page.waitForRequest(/admin\/queues\/looked$/);
      release();
      await again;
      expect(await modeOf("looked")).toBe("paused");
      await page.context().close();
    });

    it("shows a concurrent change, and overwrites it only after a second confirmation", async ({ expect }) => {
      await stack.setQueue("shared", { maxActive: 10 });
      const page = await openSignedIn();
      await goTo(page, "#/queues/shared", "Queue shared");
      await page.getByLabel("Maximum inside").fill("20");
      await page.getByRole("button", { name: "Review change" }).click();
      const dialog = page.getByRole("dialog");
      const other = await stack.registry.readQueue("shared");
      if (other === undefined) throw new Error("the queue is gone");
      await stack.registry.writeQueue(
        "shared",
        { ...other.settings, maxActive: 15, message: "Sold out soon" },
        other.version,
      );
      await dialog.getByRole("button", { name: "Change maximum inside" }).click();
      const alert = dialog.getByRole("alert");
      await alert.getByText("Another operator has changed this queue").waitFor();
      expect(await alert.textContent()).toContain("Sold out soon");
      expect((await stack.registry.readQueue("shared"))?.settings.maxActive).toBe(15);
      await dialog.getByRole("button", { name: "Change maximum inside anyway" }).click();
      await dialog.waitFor({ state: "detached" });
      expect((await stack.registry.readQueue("shared"))?.settings).toMatchObject({
        maxActive: 20,
        message: "Sold out soon",
      });
      // The refusal of the first try.
      expect(problemsOf(page)).toEqual([expect.stringContaining("409")]);
      await page.context().close();
    });

    it("gets an event, its faults named by field, and shows the visitor's page before it", async ({ expect }) => {
      await stack.setQueue("show");
      const page = await openSignedIn();
      await goTo(page, "#/queues/show/event", "Queue show");
      await page.getByLabel("Places can be taken from").fill("2030-05-01T18:00:00");
      await page.getByLabel("The line begins to move at").fill("2030-05-01T17:00:00");
      const review = page.getByRole("button", { name: "Review event" });
      await page.getByText("Must be before “The line begins to move at”.").waitFor();
      expect(await page.getByLabel("Places can be taken from").getAttribute("aria-invalid")).toBe("true");
      expect(await review.isDisabled()).toBe(true);
      await page.getByLabel("The line closes at").fill("2020-05-01T17:00:00");
      await page.getByText("This time is in the past.").waitFor();
      await page.getByLabel("The line closes at").fill("2030-05-01T19:00:00");
      await page.getByLabel("The line begins to move at").fill("2030-05-01T20:00:00");
      await page.getByText("Must be after “The line begins to move at”.").waitFor();
      await page.getByLabel("The line closes at").fill("");
      const dialog = page.getByRole("dialog");
      await page.getByRole("group", { name: "During the event" }).getByLabel("Admission rate").fill("80");
      await page.getByRole("button", { name: "Review event" }).click();
      await dialog.getByText("admission rate 80").waitFor();
      await dialog.getByRole("button", { name: "Save the event" }).click();
      await dialog.waitFor({ state: "detached" });
      const settings = (await stack.registry.readQueue("show"))?.settings;
      expect(settings).toMatchObject({ eventOverrides: { admissionRate: 80 } });
      expect((settings?.opensAt ?? 0) - (settings?.prequeueOpensAt ?? 0)).toBe(2 * 3_600_000);
      await page.locator("h1 .badge", { hasText: "Scheduled" }).waitFor();

      const frame = page.frameLocator("iframe");
      await page.getByLabel("Language").selectOption("fa");
      await expect.poll(() => frame.locator("html").getAttribute("dir"), FOLLOWS).toBe("rtl");
      await page.getByLabel("State").selectOption("maintenance");
      await expect.poll(() => frame.locator("h1").count(), FOLLOWS).toBe(1);
      expect(problemsOf(page)).toEqual([]);
      await page.context().close();
    });

    it("says which action failed and whether anything was changed, until the action succeeds or the operator has read it", async ({
      expect,
    }) => {
      await stack.setQueue("failing");
      const page = await openSignedIn();
      await goTo(page, "#/queues/failing", "Queue failing");
      const [alert, pause] = [page.getByRole("alert"), page.getByRole("button", { name: "Pause" })];
      const patches = (url: URL) => url.pathname.endsWith("/admin/queues/failing");
      const answerWith = async (status?: number) => {
        await page.unroute(patches);
        await page.route(patches, (route) => {
          if (route.request().method() !== "PATCH") return route.continue();
          const problem = { code: "queue_failing", title: "The test refuses this.", status };
          return status === undefined ? route.abort() : route.fulfill({ status, json: problem });
        });
      };
      await answerWith();
      await pause.click();
      await alert.getByText("Pausing the line: no answer. It may have happened. Reload to see.").waitFor();
      await alert.getByRole("button", { name: "Dismiss" }).click();
      await alert.waitFor({ state: "detached" });

      await answerWith(503);
      await pause.click();
      await alert.getByText("Pausing the line failed. It may have happened all the same. Reload to see.").waitFor();
      await answerWith(422);
      await pause.click();
      await alert.getByText("Pausing the line failed: nothing was changed.").waitFor();
      await alert.getByText("The test refuses this.").waitFor();
      await page.unroute(patches);
      await pause.click();
      await expect.poll(() => modeOf("failing"), FOLLOWS).toBe("paused");
      expect(await alert.count()).toBe(0);

      await page.getByLabel("Admission rate").fill("7");
      await page.getByRole("button", { name: "Review change" }).click();
      await answerWith(422);
      await page.getByRole("button", { name: "Change admission rate" }).click();
      await page.getByRole("dialog").getByText("Saving the queue failed: nothing was changed.").waitFor();
      await page.context().close();
    });

    it("says that a change was not made when the session had ended", async ({ expect }) => {
      await stack.setQueue("late");
      const page = await openSignedIn();
      await goTo(page, "#/queues/late", "Queue late");
      await page.route("**/admin/queues/late", (route) =>
        route.request().method() === "PATCH"
          ? route.fulfill({ status: 401, json: { code: "console_session_ended" } })
          : route.continue(),
      );
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByText("Your session has ended, so your last change was not made.").waitFor();
      expect(await modeOf("late")).toBe("active");
      await page.context().close();
    });

    it("edits what is in force: during an event its own values, and says so", async ({ expect }) => {
      const opensAt = Date.now() + 4_000;
      const event = { opensAt, eventOverrides: { admissionRate: 80, sessionTtlSeconds: 600 } };
      await stack.setQueue("on", { ...event, admissionRate: 5, maxActive: 10 });
      const page = await openSignedIn();
      await goTo(page, "#/queues/on", "Queue on");
      // The event begins while the operator looks: the form follows, and takes nothing for typed.
      await expect.poll(() => page.getByLabel("Admission rate").inputValue(), FOLLOWS).toBe("80");
      expect(await page.getByRole("button", { name: "Review change" }).isDisabled()).toBe(true);
      await page.getByText("The event’s own value. Without the event it is 5.").waitFor();
      await page.getByLabel("Admission rate").fill("90");
      await page.getByText("No one is waiting. At 90/s").waitFor();
      await page.getByLabel("Maximum inside").fill("20");
      await page.getByRole("button", { name: "Review change" }).click();
      await page.getByRole("dialog").getByText("No one is waiting. At 90/s").waitFor();
      await page.getByRole("button", { name: "Change maximum inside and admission rate of the event" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect((await stack.registry.readQueue("on"))?.settings).toMatchObject({
        admissionRate: 5,
        maxActive: 20,
        eventOverrides: { admissionRate: 90, sessionTtlSeconds: 600 },
      });
      await page.context().close();
    });

    it("says Full where all slots are taken", async ({ expect }) => {
      await stack.setQueue("packed", { maxActive: 1 });
      for (const _visitor of [1, 2]) await createVisitor(stack.url).get("/packed/");
      const page = await openSignedIn();
      await page.getByRole("link", { name: /Queue packed.*Full/ }).waitFor();
      await goTo(page, "#/queues/packed", "Queue packed");
      await page.locator("h1 .badge", { hasText: "Full" }).waitFor();
      await page.locator(".tile", { hasText: "Inside" }).getByText("Full").waitFor();
      expect(await tile(page, "active").textContent()).toBe("1 of 1");
      await page.context().close();
    });

    it("shows an invite once, and revokes it", async ({ expect }) => {
      await stack.setQueue("guests");
      const page = await openSignedIn();
      await goTo(page, "#/queues/guests/invites", "Queue guests");
      await page.getByLabel("Note").fill("press");
      await page.getByRole("button", { name: "Create an invite" }).click();
      const link = (await page.locator("code.link").textContent()) ?? "";
      expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/guests\/\?sluice-invite=[\w.-]+$/);
      await page.getByRole("button", { name: "Revoke this invite" }).click();
      await page.getByText("Revoked.").waitFor();
      await page.context().close();
    });
  });
});

describe.concurrent("everybody", () => {
  describe.sequential("can use the console", () => {
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

    it("on a phone and with a screen reader, in light and dark", async ({ expect }) => {
      await stack.setQueue("seen", { maxActive: 2, message: "Words to those who wait" });
      await Promise.all(Array.from({ length: 4 }, () => createVisitor(stack.url).get("/seen/")));
      const page = await openPage({ viewport: { width: 360, height: 740 } });
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
      await goTo(page, "#/queues/seen/changes", "Queue seen");
      expect(await page.evaluate(CURRENT_TAB_RIGHT)).toBeLessThanOrEqual(360);
      await goTo(page, "#/queues/seen", "Queue seen");
      await page.getByLabel("Admission rate").fill("7");
      await page.getByRole("button", { name: "Review change" }).click();
      expect(await seriousFaults(page)).toEqual([]);
      await expectNoSidewaysScroll(page, "the dialog");
      await page.context().close();
    });

    it("with only the keyboard: signs in, opens a queue, pauses it, changes its rate", async ({ expect }) => {
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
      await tabTo("Admission rate");
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("33");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor();
      await tabTo("Change admission rate");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect((await stack.registry.readQueue("keys"))?.settings.admissionRate).toBe(33);
      expect(problemsOf(page)).toEqual([]);
      await page.context().close();
    });
  });
});

// By itself, because it measures a time.
describe("a session in the console", () => {
  it("revokes a session that was found by its id: its visitor is out, at the other edge too, within 2 s", async ({
    expect,
  }) => {
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
    await page.getByRole("dialog").getByRole("button", { name: "Revoke session" }).click();
    await page.getByRole("status").getByText("is revoked").waitFor();
    expect(await until(async () => !(await isServed()))).toBeLessThan(2_000);
    expect(await page.getByText(sessionId).count()).toBe(0);

    await goTo(page, "#/queues/inside/changes", "Queue inside");
    await page.getByText("abuse").waitFor();
    await page.context().close();
  });
});
