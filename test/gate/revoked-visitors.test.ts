import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { openLine } from "../../edge/line/line.ts";
import { createTokenForge } from "../../kit/token-forge.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { tokenAudience } from "../../shared/tokens/admission.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until, type Visitor } from "./visitor.ts";

const stack = await startGateStack({ edgeCount: 2 });
const { origin, redis } = stack;
const [here = "", there = ""] = stack.edges.map((edge) => edge.url);

beforeEach(() => origin.reset());

const PAGE = { accept: "text/html" };
const FORM = {
  accept: "text/html",
  "sec-fetch-mode": "navigate",
  "sec-fetch-site": "same-origin",
  "sec-fetch-dest": "document",
};

const lineOf = (queueId: string) =>
  openLine({ store: scriptRunner(redis), queueId, ticketLifeMs: 60_000, random: () => 0.5 });
const passOf = (visitor: Visitor, queueId: string) => visitor.cookies.get(`sluice-pass-${queueId}`) ?? "";
const sessionOf = (visitor: Visitor, queueId: string) => String(decodeJwt(passOf(visitor, queueId)).sub);

/** In, and then revoked everywhere. */
async function revokedVisitor(queueId: string, reason: "revoked" | "completed" | "left" = "revoked"): Promise<Visitor> {
  const visitor = createVisitor(here);
  await visitor.get(`/${queueId}/`);
  await lineOf(queueId).end({ sessionId: sessionOf(visitor, queueId), reason });
  origin.reset();
  return visitor;
}

describe("a visitor whose session was revoked", () => {
  it("gets the same answer as long as the pass is presented, is never forwarded, and takes no slot", async () => {
    await stack.setQueue("told", { revocationCheck: "strict" });
    const visitor = await revokedVisitor("told");
    for (let visit = 0; visit < 2; visit++) {
      const page = await visitor.get("/told/", PAGE);
      expect([page.status, page.headers.get("content-type"), page.setCookies]).toEqual([
        403,
        "text/html; charset=utf-8",
        [],
      ]);
      expect(page.text).toContain('<form id="rejoin" method="post" action="/_sluice/queues/told/enter">');
      const json = await visitor.get("/told/", JSON_PLEASE);
      expect([json.status, json.json]).toEqual([403, { state: "ended", queueId: "told", reason: "revoked" }]);
      const posted = await visitor.send("POST", "/told/buy", JSON_PLEASE, "1 share");
      expect([posted.status, posted.json["reason"]]).toEqual([403, "revoked"]);
      const form = await visitor.send("POST", "/told/buy", FORM, "1 share");
      expect([form.status, form.text.includes("did not go through")]).toEqual([403, true]);
    }
    expect((await visitor.send("POST", "/_sluice/queues/told/heartbeat")).json).toEqual({
      state: "ended",
      queueId: "told",
      reason: "revoked",
    });
    expect(origin.requests).toEqual([]);
    expect(await redis.zcard("queue:{told}:active")).toBe(0);
  });

  it("joins again by the button on the page, without a script, and is back on the page", async () => {
    await stack.setQueue("button", { revocationCheck: "strict" });
    const visitor = await revokedVisitor("button");
    const before = sessionOf(visitor, "button");
    const pressed = await visitor.send("POST", "/_sluice/queues/button/enter", {
      ...FORM,
      referer: `${here}/button/shelf?x=1`,
    });
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, "/button/shelf?x=1"]);
    expect((await visitor.get("/button/shelf?x=1", JSON_PLEASE)).json["url"]).toBe("/button/shelf?x=1");
    expect(sessionOf(visitor, "button")).not.toBe(before);
  });

  it("joins again by enter behind others, and the revoked pass does not block the new place", async () => {
    await stack.setQueue("behind", { revocationCheck: "strict", maxActive: 1 });
    const visitor = await revokedVisitor("behind");
    await createVisitor(here).get("/behind/");
    const entered = await visitor.send("POST", "/_sluice/queues/behind/enter");
    expect([entered.status, entered.json["state"]]).toEqual([201, "waiting"]);
    expect((await visitor.get("/behind/", JSON_PLEASE)).json).toMatchObject({ state: "waiting", position: 1 });
  });

  it("gets the answer at once from the edge where the application revoked it", async () => {
    await stack.setQueue("by-origin");
    const visitor = createVisitor(here);
    await visitor.get("/by-origin/");
    const pass = { cookie: `sluice-pass-by-origin=${passOf(visitor, "by-origin")}` };
    origin.answerWith((_request, response) => {
      response.setHeader("x-sluice-command", "revoke");
      response.end();
    });
    await visitor.get("/by-origin/last");
    origin.reset();
    expect((await createVisitor(here).get("/by-origin/", { ...JSON_PLEASE, ...pass })).json["reason"]).toBe("revoked");
    expect(origin.requests).toEqual([]);
  });

  it("may not join before banSeconds have passed, also when the pass has run out, and is told how long", async () => {
    await stack.setQueue("banned", { revocationCheck: "strict", banSeconds: 3_600 });
    const visitor = await revokedVisitor("banned");
    const page = await visitor.get("/banned/", PAGE);
    expect([
      page.status,
      page.text.includes("You can join the line again in 1 hour"),
      page.text.includes('id="rejoin"'),
    ]).toEqual([403, true, false]);
    expect(Number(page.headers.get("retry-after"))).toBeGreaterThan(3_500);
    visitor.cookies.delete("sluice-pass-banned");
    const json = await visitor.get("/banned/", JSON_PLEASE);
    expect([json.status, json.json["reason"], Number(json.json["mayJoinInSeconds"]) > 3_500]).toEqual([
      403,
      "revoked",
      true,
    ]);
    const entered = await visitor.send("POST", "/_sluice/queues/banned/enter");
    expect([entered.status, entered.json["code"], entered.headers.has("retry-after")]).toEqual([
      403,
      "session_banned",
      true,
    ]);
    expect(origin.requests).toEqual([]);
    await redis.del(...(await redis.keys("queue:{banned}:ban:*")));
    expect((await visitor.send("POST", "/_sluice/queues/banned/enter")).json["state"]).toBe("admitted");
    expect((await visitor.get("/banned/in", JSON_PLEASE)).json["url"]).toBe("/banned/in");
  });

  it("is banned as the person whom an invite names, on another device", async () => {
    await stack.setQueue("person", { revocationCheck: "strict", banSeconds: 600 });
    const claims = { aud: tokenAudience("invite", "person" as QueueId), person: "AAAAAAAAAAAAAAAAAAAAAA", uses: 5 };
    const forge = await createTokenForge({
      kind: "invite",
      nowSeconds: Math.floor(Date.now() / 1000),
      jwk: stack.key,
      claims,
    });
    const invite = await forge.token();
    const first = await createVisitor(here).send(
      "POST",
      "/_sluice/queues/person/enter",
      {},
      JSON.stringify({ invite }),
    );
    await lineOf("person").end({ sessionId: String(first.json["sessionId"]), reason: "revoked" });
    const again = await createVisitor(there).send(
      "POST",
      "/_sluice/queues/person/enter",
      {},
      JSON.stringify({ invite }),
    );
    expect([again.status, again.json["code"]]).toEqual([403, "session_banned"]);
  });
});

describe("a session that ended in another way", () => {
  it.each(["completed", "left"] as const)("%s lets its visitor join as a newcomer", async (reason) => {
    await stack.setQueue(reason, { revocationCheck: "strict", banSeconds: 600 });
    const visitor = await revokedVisitor(reason, reason);
    const before = sessionOf(visitor, reason);
    expect((await visitor.get(`/${reason}/again`, JSON_PLEASE)).json["url"]).toBe(`/${reason}/again`);
    await until(() => sessionOf(visitor, reason) !== before);
  });
});
