// @module-tag timing: an unclaimed slot returns within a second of its time.
import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { steadyNowMs } from "../../kit/steady-clock.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, type Seen, until, type Visitor } from "./visitor.ts";

const stack = await startGateStack({ edgeCount: 2 });
const { origin, redis } = stack;
const [url = "", otherUrl = ""] = stack.edges.map((edge) => edge.url);

beforeEach(() => origin.reset());

/** The shortest time for which an unclaimed slot is held. */
const HELD_MS_MIN = 10_000;
const PAGE = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const IMAGE = { accept: "image/avif,image/webp,image/*,*/*;q=0.8" };
const ENTERED_IN_A_BROWSER = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

const passOf = (visitor: Visitor, queueId: string) => visitor.cookies.get(`sluice-pass-${queueId}`) ?? "";
const slotEndMs = async (queueId: string, visitor: Visitor) =>
  Number(await redis.zscore(`queue:{${queueId}}:active`, String(decodeJwt(passOf(visitor, queueId)).sub)));
const slotsTaken = (queueId: string) => redis.zcount(`queue:{${queueId}}:active`, Date.now(), "+inf");

/** As many visitors as that, each without the cookies of the others. */
function crowd(count: number, visit: () => Promise<Seen>): Promise<Seen[]> {
  return Promise.all(Array.from({ length: count }, visit));
}

describe("a room of 100", () => {
  it("is not filled by hot-linked images, fetches and crawlers that never come back", async () => {
    await stack.setQueue("complaint", { maxActive: 100, claimSeconds: 2, admissionBurst: 1_000, admissionRate: 1_000 });
    const crossSite = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
    const images = await crowd(30, () => createVisitor(url).get("/complaint/logo.png", { ...IMAGE, ...crossSite }));
    expect(await slotsTaken("complaint")).toBe(0);
    for (const { status, json, setCookies, headers } of images) {
      expect([status, json["code"], setCookies.length, headers.has("retry-after")]).toEqual([
        503,
        "queue_waiting",
        0,
        true,
      ]);
    }
    const startedAt = steadyNowMs();
    await crowd(20, () => createVisitor(otherUrl).get("/complaint/api/items", JSON_PLEASE));
    await crowd(60, () => createVisitor(url).get("/complaint/", { ...PAGE, "user-agent": "crawler/1.0" }));
    const person = createVisitor(url);
    await person.get("/complaint/", { ...PAGE, ...ENTERED_IN_A_BROWSER });
    expect(await slotsTaken("complaint")).toBe(81);
    await person.get("/complaint/next", PAGE);
    await until(async () => (await slotsTaken("complaint")) === 1);
    expect(steadyNowMs() - startedAt).toBeLessThan(HELD_MS_MIN + 1_000);
    expect((await person.get("/complaint/still-in", JSON_PLEASE)).json["url"]).toBe("/complaint/still-in");
  });
});

describe("a new session", () => {
  it("holds its slot for claimSeconds, and for its whole time once its pass comes back to any edge", async () => {
    await stack.setQueue("claimed", { claimSeconds: 20, sessionTtlSeconds: 600 });
    const visitor = createVisitor(url);
    const before = Date.now();
    await visitor.get("/claimed/");
    const first = passOf(visitor, "claimed");
    const held = (await slotEndMs("claimed", visitor)) - before;
    expect([held > 19_000, held < 22_000]).toEqual([true, true]);
    expect(Number(decodeJwt(first).exp) * 1_000).toBeLessThanOrEqual((await slotEndMs("claimed", visitor)) - 5_000);
    const elsewhere = createVisitor(otherUrl);
    for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.get("/claimed/second", JSON_PLEASE)).json["url"]).toBe("/claimed/second");
    await until(async () => (await slotEndMs("claimed", visitor)) > before + 599_000);
    await until(async () => {
      await elsewhere.get("/claimed/third", JSON_PLEASE);
      return passOf(elsewhere, "claimed") !== first;
    });
    const pass = decodeJwt(passOf(elsewhere, "claimed"));
    expect(pass.sub).toBe(decodeJwt(first).sub);
    expect([Number(pass.exp) * 1_000 > before + 590_000, pass["unconfirmed"]]).toEqual([true, undefined]);
    expect(Number(pass.exp) * 1_000).toBeLessThanOrEqual((await slotEndMs("claimed", elsewhere)) - 5_000);
  });

  it("gets the pass of its whole time from heartbeat and from enter", async () => {
    await stack.setQueue("beating", { claimSeconds: 20, sessionTtlSeconds: 600 });
    for (const verb of ["heartbeat", "enter"]) {
      const entered = await createVisitor(url).send("POST", "/_sluice/queues/beating/enter");
      expect(Number(entered.json["expiresAt"]) - Date.now()).toBeLessThan(21_000);
      const bearer = { authorization: `Bearer ${String(entered.json["pass"])}` };
      const answer = await createVisitor(otherUrl).send("POST", `/_sluice/queues/beating/${verb}`, bearer);
      expect(answer.json).toMatchObject({ state: "admitted", sessionId: entered.json["sessionId"] });
      expect(Number(answer.json["expiresAt"]) - Date.now()).toBeGreaterThan(590_000);
    }
  });

  it("is not claimed by its ticket: polls after a lost answer give the same session and the same end", async () => {
    await stack.setQueue("lost-answer", { maxActive: 1, claimSeconds: 20 });
    const holder = createVisitor(url);
    await holder.get("/lost-answer/");
    const waiting = await createVisitor(url).send("POST", "/_sluice/queues/lost-answer/enter");
    const bearer = { authorization: `Bearer ${String(waiting.json["ticket"])}` };
    await holder.send("POST", "/_sluice/queues/lost-answer/leave");
    const poll = async () =>
      (await createVisitor(otherUrl).send("POST", "/_sluice/queues/lost-answer/heartbeat", bearer)).json;
    await until(async () => (await poll())["state"] === "admitted", { everyMs: 300 });
    const [one, two] = [await poll(), await poll()];
    expect([two["sessionId"], two["expiresAt"]]).toEqual([one["sessionId"], one["expiresAt"]]);
  });

  it("is forwarded with its first pass while the store does not answer, and is claimed by a later request", async () => {
    await stack.setQueue("slow-claim", { claimSeconds: 20, sessionTtlSeconds: 600 });
    // The edge has read this queue's revocations before.
    const earlier = createVisitor(url);
    for (let request = 0; request < 2; request++) await earlier.get("/slow-claim/");
    const visitor = createVisitor(url);
    const before = Date.now();
    await visitor.get("/slow-claim/");
    await redis.client("PAUSE", 700, "ALL");
    const seen = await visitor.get("/slow-claim/x", JSON_PLEASE);
    expect([seen.json["url"], seen.tookMs < 600]).toEqual(["/slow-claim/x", true]);
    await until(async () => {
      await visitor.get("/slow-claim/y", JSON_PLEASE);
      return Number(decodeJwt(passOf(visitor, "slow-claim")).exp) * 1_000 > before + 500_000;
    });
  });

  it("counts its time from the claim where renewal is off, and only once", async () => {
    await stack.setQueue("fixed-claim", { claimSeconds: 20, sessionTtlSeconds: 100, sessionRenewal: false });
    const visitor = createVisitor(url);
    await visitor.get("/fixed-claim/");
    const first = { cookie: `sluice-pass-fixed-claim=${passOf(visitor, "fixed-claim")}` };
    await visitor.get("/fixed-claim/second");
    await until(async () => (await slotEndMs("fixed-claim", visitor)) > Date.now() + 90_000);
    const end = await slotEndMs("fixed-claim", visitor);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await createVisitor(otherUrl).get("/fixed-claim/again", first);
    await createVisitor(otherUrl).send("POST", "/_sluice/queues/fixed-claim/heartbeat", first);
    expect(await slotEndMs("fixed-claim", visitor)).toBe(end);
  });
});
