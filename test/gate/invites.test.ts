import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { type ForgedToken, forgedInvites } from "../../kit/forged-tokens.ts";
import { createTokenForge, VENUE } from "../../kit/token-forge.ts";
import type { TokenRefusal } from "../../shared/tokens/verify-token.ts";
import { rawGet, sendRaw } from "../proxy/raw-http.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, type Seen, until, type Visitor } from "./visitor.ts";

const OPERATOR = "operator-token-of-this-test";
const stack = await startGateStack({ variables: { SLUICE_ADMIN_TOKEN: OPERATOR } });
const { origin, url, edges, redis } = stack;
const port = edges[0]?.port ?? 0;
const HTML_PLEASE = { accept: "text/html" };
const HOUR_SECONDS = 3_600;

type Invite = { readonly invite: string; readonly inviteId: string };

async function operate(method: string, path: string, json?: unknown): Promise<Seen> {
  const headers = { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" };
  return createVisitor(url).send(
    method,
    `/_sluice/admin${path}`,
    headers,
    json === undefined ? undefined : JSON.stringify(json),
  );
}

async function inviteTo(queueId: string, fields: Readonly<Record<string, unknown>>): Promise<Invite> {
  return (await operate("POST", `/queues/${queueId}/invites`, fields)).json as unknown as Invite;
}

const enterWith = (visitor: Visitor, queueId: string, invite: string) =>
  visitor.send(
    "POST",
    `/_sluice/queues/${queueId}/enter`,
    { "content-type": "application/json" },
    JSON.stringify({ invite }),
  );

const stateOf = async (visitor: Visitor, queueId: string) => (await visitor.get(`/${queueId}/`, JSON_PLEASE)).json;

const waiting = (queueId: string) => redis.zcard(`queue:{${queueId}}:waiting`);

beforeEach(() => origin.reset());

describe("an invite on a protected URL", () => {
  it("takes a person to the clean URL with a place in its lane, and the origin never sees it", async () => {
    await stack.setQueue("link", { mode: "paused" });
    for (const _visitor of [1, 2]) await createVisitor(url).get("/link/", JSON_PLEASE);
    const { invite } = await inviteTo("link", { lane: 2 });
    const visitor = createVisitor(url);
    const seen = await visitor.get(`/link/shoes?a=1&sluice-invite=${invite}&b=%2F`, HTML_PLEASE);
    expect([seen.status, seen.headers.get("location"), seen.text]).toEqual([303, "/link/shoes?a=1&b=%2F", ""]);
    expect([seen.headers.get("cache-control"), seen.headers.get("referrer-policy")]).toEqual([
      "no-store",
      "no-referrer",
    ]);
    expect(await stateOf(visitor, "link")).toMatchObject({ state: "waiting", lane: 2, position: 1, total: 3 });
    expect((await visitor.get("/link/shoes", HTML_PLEASE)).text).not.toContain(invite);
    expect(origin.requests).toEqual([]);
  });

  it("admits at once when there is room: a person through the clean URL, a program in the same request, without the invite in either", async () => {
    await stack.setQueue("room", { maxActive: 10 });
    const person = createVisitor(url);
    const { invite } = await inviteTo("room", { lane: 1, uses: 3 });
    const seen = await person.get(`/room/?sluice-invite=${invite}`, HTML_PLEASE);
    expect([seen.status, seen.headers.get("location"), person.cookies.has("sluice-pass-room")]).toEqual([
      303,
      "/room/",
      true,
    ]);
    expect((await person.get("/room/in")).json["url"]).toBe("/room/in");
    const program = createVisitor(url);
    expect((await program.get(`/room/api?sluice-invite=${invite}&x='1'`, JSON_PLEASE)).json["url"]).toMatch(
      /^\/room\/api\?x=('1'|%271%27)$/,
    );
    expect((await createVisitor(url).send("POST", `/room/buy?sluice-invite=${invite}`, {}, "one")).json).toMatchObject({
      url: "/room/buy",
      bytes: 3,
    });
    // An admitted visitor does not use it up.
    const again = await person.get(`/room/y?z&sluice-invite=${invite}`, HTML_PLEASE);
    expect([again.status, again.headers.get("location")]).toEqual([303, "/room/y?z"]);
    expect((await program.get(`/room/y?sluice-invite=${invite}`, JSON_PLEASE)).json["url"]).toBe("/room/y");
    for (const request of origin.requests)
      expect(JSON.stringify([request.url, ...request.headers])).not.toContain(invite);
  });

  it("redirects to no other site, whatever the URL looks like", async () => {
    await stack.setQueue("away", { mode: "paused" });
    const { invite } = await inviteTo("away", { lane: 1, uses: 50 });
    const targets = [
      "/away//evil.test",
      "/away/\\evil.test",
      "//evil.test/away/",
      "/away/..//evil.test",
      "/away/https://evil.test",
      "/away/%0d%0aLocation:evil",
    ];
    for (const target of targets) {
      const response = await sendRaw(
        port,
        rawGet(`${target}?sluice-invite=${invite}`, ["Accept: text/html", "X-Forwarded-Host: evil.test"]),
      );
      const location = response.headers.get("location")?.[0];
      if (location !== undefined)
        expect([target, location]).toEqual([
          target,
          expect.stringMatching(/^\/(?![/\\])(?!.*evil\.test$)|^\/away\/https:\/evil\.test$/),
        ]);
    }
    const response = await sendRaw(
      port,
      rawGet(`/away/x?sluice-invite=${invite}&next=//evil.test`, ["Accept: text/html"]),
    );
    expect(response.headers.get("location")).toEqual(["/away/x?next=//evil.test"]);
  });

  it("that is invalid lets its visitor join like any other, and the answer says so to pages and programs", async () => {
    await stack.setQueue("bad", { mode: "paused" });
    const { invite, inviteId } = await inviteTo("bad", { lane: 3 });
    await enterWith(createVisitor(url), "bad", invite);
    const other = (await inviteTo("bad", { lane: 3, uses: 5 })) as Invite;
    await operate("DELETE", `/queues/bad/invites/${other.inviteId}`);
    const forge = await createTokenForge({ kind: "invite", nowSeconds: Math.floor(Date.now() / 1000), jwk: stack.key });
    const end = Math.floor(Date.now() / 1000) - HOUR_SECONDS;
    const expired = await forge.token({ claims: { aud: "sluice:invite:bad", iat: end - HOUR_SECONDS, exp: end } });
    for (const [token, code] of [
      [invite, "invite_used"],
      [other.invite, "invite_revoked"],
      [expired, "invite_expired"],
      ["rubbish", "invite_invalid"],
      [`${invite}&sluice-invite=${other.invite}`, "invite_invalid"],
      ["", "invite_invalid"],
    ]) {
      const program = createVisitor(url);
      expect((await program.get(`/bad/?sluice-invite=${token}`, JSON_PLEASE)).json).toMatchObject({
        state: "waiting",
        lane: 0,
        notice: code,
      });
      expect((await stateOf(program, "bad"))["notice"]).toBeUndefined();
      const person = createVisitor(url);
      const seen = await person.get(`/bad/?sluice-invite=${token}`, HTML_PLEASE);
      expect([seen.status, seen.headers.get("location")]).toEqual([303, "/bad/"]);
      expect(await stateOf(person, "bad")).toMatchObject({ state: "waiting", lane: 0, notice: code });
      const refused = await enterWith(createVisitor(url), "bad", String(token));
      if (!String(token).includes("&"))
        expect([refused.status, refused.json["code"]]).toEqual([/used|revoked/.test(String(code)) ? 409 : 401, code]);
    }
    expect(await redis.smembers(`queue:{bad}:invite:${inviteId}`)).toHaveLength(1);
  });

  it("stays in the URL where it could not be used, so that the next try can", async () => {
    await stack.setQueue("shut", { mode: "maintenance" });
    const { invite } = await inviteTo("shut", { lane: 1 });
    const seen = await createVisitor(url).get(`/shut/?sluice-invite=${invite}`, HTML_PLEASE);
    expect([seen.status, seen.headers.has("location")]).toEqual([503, false]);
    await stack.setQueue("shut", { mode: "paused", maxQueueSize: 0 });
    expect((await createVisitor(url).get(`/shut/?sluice-invite=${invite}`, HTML_PLEASE)).status).toBe(503);
    await stack.setQueue("shut", { mode: "paused" });
    expect((await createVisitor(url).get(`/shut/?sluice-invite=${invite}`, HTML_PLEASE)).status).toBe(303);
  });
});

describe("every forged invite (G9)", () => {
  let isQueueSet = false;

  async function forged(make: ForgedToken[2], reason: TokenRefusal): Promise<string> {
    if (!isQueueSet) await stack.setQueue(VENUE, { mode: "paused" });
    isQueueSet = true;
    const aheadSeconds = reason === "not_yet_valid" ? 60 : 0;
    return make(
      await createTokenForge({
        kind: "invite",
        nowSeconds: Math.floor(Date.now() / 1000) + aheadSeconds,
        jwk: stack.key,
      }),
    );
  }

  /** The bounds of bodies and URLs refuse it before it is read. */
  const isOverlong = (token: string) => token.length > 2_048;

  it.each(forgedInvites)(
    "%s: 401 from enter, the normal lane by a link, never the origin",
    async (_name, reason, make) => {
      const token = await forged(make, reason);
      const refused = await enterWith(createVisitor(url), VENUE, token);
      const linked = await createVisitor(url).get(`/${VENUE}/?sluice-invite=${encodeURIComponent(token)}`, JSON_PLEASE);
      expect([refused.status < 500, linked.status < 500]).toEqual([true, true]);
      if (!isOverlong(token)) {
        expect([refused.status, refused.json["code"]]).toEqual([
          401,
          reason === "expired" ? "invite_expired" : "invite_invalid",
        ]);
        expect([linked.status, linked.json["lane"]]).toEqual([200, 0]);
      }
      expect(await redis.keys(`queue:{${VENUE}}:invite:*`)).toEqual([]);
      expect(origin.requests).toEqual([]);
    },
  );
});

describe("an invite to enter", () => {
  it("gives a place in its lane, for as many as it has uses, also when they come at once", async () => {
    await stack.setQueue("uses", { mode: "paused" });
    const { invite } = await inviteTo("uses", { lane: 1, uses: 3 });
    const seen = await Promise.all(Array.from({ length: 10 }, () => enterWith(createVisitor(url), "uses", invite)));
    expect(seen.filter(({ status, json }) => status === 201 && json["lane"] === 1)).toHaveLength(3);
    expect(seen.filter(({ status, json }) => status === 409 && json["code"] === "invite_used")).toHaveLength(7);
    expect(await waiting("uses")).toBe(3);
  });

  it("moves a waiting visitor to its lane, with the same ticket; one for a lane that is no better is not used", async () => {
    await stack.setQueue("move", { mode: "paused" });
    const [first, second] = [createVisitor(url), createVisitor(url)];
    await stateOf(first, "move");
    const before = await stateOf(second, "move");
    const { invite } = await inviteTo("move", { lane: 1 });
    const moved = await enterWith(second, "move", invite);
    expect([moved.status, moved.json]).toMatchObject([
      200,
      { position: 1, total: 2, lane: 1, enqueuedAt: before["enqueuedAt"] },
    ]);
    const idOf = (json: Readonly<Record<string, unknown>>) => decodeJwt(String(json["ticket"])).sub;
    expect(idOf(moved.json)).toBe(idOf(before));
    // The ticket from before the move does not take the place back.
    const stale = createVisitor(url);
    stale.cookies.set("sluice-ticket-move", String(before["ticket"]));
    expect(await stateOf(stale, "move")).toMatchObject({ position: 1, lane: 1 });
    const spare = await inviteTo("move", { lane: 1 });
    expect((await enterWith(second, "move", spare.invite)).json).toMatchObject({ position: 1, lane: 1 });
    expect(await redis.exists(`queue:{move}:invite:${spare.inviteId}`)).toBe(0);
    const link = await first.get(`/move/?sluice-invite=${spare.invite}`, HTML_PLEASE);
    expect([link.status, await stateOf(first, "move")]).toMatchObject([303, { position: 2, lane: 1 }]);
  });

  it("is good only for its queue", async () => {
    await stack.setQueue("own", { mode: "paused" });
    const { invite } = await inviteTo("move", { lane: 3 });
    expect((await enterWith(createVisitor(url), "own", invite)).json["code"]).toBe("invite_invalid");
  });

  it("does not count against the address: an operator vouches for it", async () => {
    await stack.setQueue("vouched", { mode: "paused", ticketsPerIp: 1 });
    await stateOf(createVisitor(url), "vouched");
    const { invite } = await inviteTo("vouched", { lane: 1, uses: 2 });
    for (const _guest of [1, 2]) expect((await enterWith(createVisitor(url), "vouched", invite)).status).toBe(201);
    expect((await createVisitor(url).get("/vouched/", JSON_PLEASE)).json["code"]).toBe("address_limit");
  });
});

describe("an invite with a key", () => {
  it("gives one person one place on every device, while waiting and inside, with any of their invites", async () => {
    await stack.setQueue("ada", { maxActive: 1, claimSeconds: 5 });
    const holder = createVisitor(url);
    await holder.get("/ada/");
    const [one, two] = [
      await inviteTo("ada", { lane: 1, key: "ada" }),
      await inviteTo("ada", { lane: 2, key: "ada", uses: 2 }),
    ];
    const [phone, laptop] = [createVisitor(url), createVisitor(url)];
    const entered = await enterWith(phone, "ada", one.invite);
    expect([entered.status, entered.json]).toMatchObject([201, { lane: 1, position: 1 }]);
    const idOf = (seen: Seen) => decodeJwt(String(seen.json["ticket"])).sub;
    const second = await enterWith(laptop, "ada", one.invite);
    expect([idOf(second), second.json]).toMatchObject([idOf(entered), { lane: 1, position: 1, total: 1 }]);
    // One ticket was dated by the edge's clock when it was written, the other by the store's when the place was given.
    expect(Math.abs(Number(second.json["enqueuedAt"]) - Number(entered.json["enqueuedAt"]))).toBeLessThan(10_000);
    const third = await enterWith(createVisitor(url), "ada", two.invite);
    expect(idOf(third)).toBe(idOf(entered));
    expect([await waiting("ada"), await redis.exists(`queue:{ada}:invite:${two.inviteId}`)]).toEqual([1, 0]);
    // Another person has another place.
    expect(
      idOf(await enterWith(createVisitor(url), "ada", (await inviteTo("ada", { lane: 0, key: "bob" })).invite)),
    ).not.toBe(idOf(entered));
    await holder.send("POST", "/_sluice/queues/ada/leave");
    await until(async () => (await phone.send("POST", "/_sluice/queues/ada/heartbeat")).json["state"] === "admitted");
    const inside = await enterWith(createVisitor(url), "ada", one.invite);
    expect(inside.json).toMatchObject({ state: "admitted", sessionId: idOf(entered) });
    await phone.send("POST", "/_sluice/queues/ada/leave");
    // That place is used up, and so is the invite that it came from; the other one is good for two more, one after the
    // other.
    expect((await enterWith(createVisitor(url), "ada", one.invite)).json["code"]).toBe("invite_used");
    const anew = await enterWith(createVisitor(url), "ada", two.invite);
    expect(anew.json["state"]).toMatch(/waiting|admitted/);
    expect(await redis.scard(`queue:{ada}:invite:${two.inviteId}`)).toBe(1);
  });

  it("brings back the place of a device that sleeps, and gives up the place that this device had", async () => {
    await stack.setQueue("eve", { mode: "paused" });
    const { invite } = await inviteTo("eve", { lane: 1, key: "eve" });
    const entered = await enterWith(createVisitor(url), "eve", invite);
    const ticketId = String(decodeJwt(String(entered.json["ticket"])).sub);
    await redis.zrem("queue:{eve}:waiting", ticketId);
    const laptop = createVisitor(url);
    await stateOf(laptop, "eve");
    expect(await waiting("eve")).toBe(1);
    const link = await laptop.get(`/eve/?sluice-invite=${invite}`, HTML_PLEASE);
    expect([link.status, await stateOf(laptop, "eve")]).toMatchObject([303, { lane: 1, position: 1 }]);
    await until(async () => (await redis.zrange("queue:{eve}:waiting", "0", "-1")).join() === ticketId);
  });
});

describe("many people behind one address (G11)", () => {
  it("all get their turn when there is no limit", async () => {
    await stack.setQueue("office", { maxActive: 200, admissionRate: 200, admissionBurst: 40, ticketsPerIp: 0 });
    const people = Array.from({ length: 150 }, () => createVisitor(url));
    const isIn = async (visitor: Visitor) => (await visitor.get("/office/x", JSON_PLEASE)).json["url"] === "/office/x";
    const outside = new Set(people);
    await until(
      async () => {
        for (const visitor of outside) if (await isIn(visitor)) outside.delete(visitor);
        return outside.size === 0;
      },
      { withinMs: 40_000 },
    );
    // A join whose answer came too late for the edge left its slot to run out, and its visitor came again.
    const inside = await redis.zcard("queue:{office}:active");
    expect([inside >= 150, inside <= 200]).toEqual([true, true]);
  });

  it("have as many places as the limit says, each kept on return; the next visitor gets Retry-After", async () => {
    await stack.setQueue("limit", { mode: "paused", ticketsPerIp: 2 });
    const [first, second, third] = [createVisitor(url), createVisitor(url), createVisitor(url)];
    for (const visitor of [first, second, first, second])
      expect((await stateOf(visitor, "limit"))["state"]).toBe("waiting");
    const over = await third.get("/limit/", JSON_PLEASE);
    expect([over.status, over.json["code"], over.headers.get("retry-after")]).toEqual([429, "address_limit", "30"]);
    const keys = await redis.keys("queue:{limit}:ip:*");
    expect([keys.length, keys.join()]).toEqual([1, expect.not.stringContaining("127.0.0.1")]);
  });
});

describe("the size of an address", () => {
  it("is one IPv4 address, in any notation, or one IPv6 /64", async () => {
    const edge = await stack.startEdge({ variables: { CLIENT_ADDRESS_FROM: "cloudflare" } });
    await stack.setQueue("sizes", { mode: "paused", ticketsPerIp: 1 });
    const codeFrom = async (address: string) => {
      const seen = await createVisitor(edge.url).get("/sizes/", { ...JSON_PLEASE, "cf-connecting-ip": address });
      return seen.json["state"] ?? seen.json["code"];
    };
    await until(async () => (await fetch(`${edge.url}/_sluice/queues/sizes`)).status === 200);
    expect(await codeFrom("192.0.2.1")).toBe("waiting");
    for (const same of ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"])
      expect(await codeFrom(same)).toBe("address_limit");
    expect(await codeFrom("192.0.2.2")).toBe("waiting");
    expect(await codeFrom("2001:db8:1:2::1")).toBe("waiting");
    for (const same of ["2001:db8:1:2::1", "2001:DB8:1:2:ffff::", "2001:db8:0001:0002:3:4:5:6"])
      expect(await codeFrom(same)).toBe("address_limit");
    expect(await codeFrom("2001:db8:1:3::1")).toBe("waiting");
  });
});
