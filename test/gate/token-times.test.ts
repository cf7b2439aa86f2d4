import { decodeJwt } from "jose";
import { describe, expect, it } from "vitest";
import { openLine } from "../../edge/line/line.ts";
import { createTokenForge } from "../../kit/token-forge.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { tokenAudience } from "../../shared/tokens/admission.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until } from "./visitor.ts";

/** The store's memory of a token outlives the last moment at which an edge accepts the token. */
const stack = await startGateStack();
const { redis, url } = stack;
const TOLERANCE_MS = 5_000;

async function inviteTo(queueId: string, claims: Readonly<Record<string, unknown>>): Promise<string> {
  const nowSeconds = Math.floor(Date.now() / 1000);
  const aud = tokenAudience("invite", queueId as QueueId);
  return (await createTokenForge({ kind: "invite", nowSeconds, jwk: stack.key, claims: { aud, ...claims } })).token();
}

const enterWith = (queueId: string, invite: string, headers: Readonly<Record<string, string>> = {}) =>
  createVisitor(url).send("POST", `/_sluice/queues/${queueId}/enter`, headers, JSON.stringify({ invite }));

const usedForMs = (queueId: string, ticketId: string) => redis.pttl(`queue:{${queueId}}:used:${ticketId}`);

describe("what the store remembers", () => {
  it("a single-use invite stays used until no edge accepts it any more", async () => {
    await stack.setQueue("used-invite");
    const exp = Math.floor(Date.now() / 1000) + 2;
    const invite = await inviteTo("used-invite", { exp, uses: 1 });
    expect((await enterWith("used-invite", invite)).json["state"]).toBe("admitted");
    const codes: unknown[] = [];
    await until(
      async () => {
        codes.push((await enterWith("used-invite", invite)).json["code"]);
        return codes.at(-1) === "invite_expired";
      },
      { everyMs: 200 },
    );
    expect(new Set(codes)).toEqual(new Set(["invite_used", "invite_expired"]));
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1_000 + TOLERANCE_MS);
  });

  it("a ticket stays used until no edge accepts it any more", async () => {
    await stack.setQueue("used-ticket", { maxActive: 1, returnGraceSeconds: 0, heartbeatTtlSeconds: 5 });
    const holder = createVisitor(url);
    await holder.get("/used-ticket/");
    const { ticket } = (await createVisitor(url).send("POST", "/_sluice/queues/used-ticket/enter")).json;
    await holder.send("POST", "/_sluice/queues/used-ticket/leave");
    const bearer = { authorization: `Bearer ${String(ticket)}` };
    const beat = async () =>
      (await createVisitor(url).send("POST", "/_sluice/queues/used-ticket/heartbeat", bearer)).json["state"];
    await until(async () => (await beat()) === "admitted", { everyMs: 300 });
    const { exp = 0, sub = "" } = decodeJwt(String(ticket));
    expect(Date.now() + (await usedForMs("used-ticket", sub))).toBeGreaterThan(exp * 1_000 + TOLERANCE_MS);
  });

  it("a ticket from when places were kept for longer stays used for as long, also when an invite was brought with it", async () => {
    const kept = { returnGraceSeconds: 3_600, mode: "paused" } as const;
    await stack.setQueue("shorter", kept);
    const visitor = createVisitor(url);
    const { ticket } = (await visitor.send("POST", "/_sluice/queues/shorter/enter")).json;
    await stack.setQueue("shorter", { returnGraceSeconds: 0, heartbeatTtlSeconds: 5 });
    const bearer = { authorization: `Bearer ${String(ticket)}` };
    const entered = await enterWith("shorter", await inviteTo("shorter", { uses: 1, lane: 2 }), bearer);
    expect(entered.json["state"]).toBe("admitted");
    const { exp = 0, sub = "" } = decodeJwt(String(ticket));
    expect(entered.json["sessionId"]).toBe(sub);
    expect(Date.now() + (await usedForMs("shorter", sub))).toBeGreaterThan(exp * 1_000 + TOLERANCE_MS);
  });

  it("a ticket that is signed again never ends before the one that it replaces", async () => {
    await stack.setQueue("resigned", { returnGraceSeconds: 3_600, mode: "paused" });
    const visitor = createVisitor(url);
    const before = decodeJwt(String((await visitor.send("POST", "/_sluice/queues/resigned/enter")).json["ticket"]));
    await stack.setQueue("resigned", { returnGraceSeconds: 0, heartbeatTtlSeconds: 5, mode: "paused" });
    const invite = await inviteTo("resigned", { uses: 1, lane: 2 });
    const moved = await visitor.get(`/resigned/?sluice-invite=${invite}`, JSON_PLEASE);
    const after = decodeJwt(String(moved.json["ticket"]));
    expect([moved.json["lane"], after.sub, Number(after.exp) >= Number(before.exp)]).toEqual([2, before.sub, true]);
  });

  it("a revoked session stays refused for longer than any pass of it is accepted, in an open queue too", async () => {
    await stack.setQueue("revoked-long", { revocationCheck: "strict", sessionTtlSeconds: 10 });
    const line = openLine({
      store: scriptRunner(redis),
      queueId: "revoked-long",
      ticketLifeMs: 60_000,
      random: () => 0.5,
    });
    const visitor = createVisitor(url);
    const refusedForMs = async () => {
      const { sub = "", exp = 0 } = decodeJwt(visitor.cookies.get("sluice-pass-revoked-long") ?? "");
      await line.end({ sessionId: sub, reason: "revoked" });
      return Date.now() + (await redis.pttl(`revocation:{revoked-long}:${sub}`)) - exp * 1_000;
    };
    await visitor.get("/revoked-long/");
    expect(await refusedForMs()).toBeGreaterThan(TOLERANCE_MS);
    await stack.setQueue("revoked-long", { revocationCheck: "strict", sessionTtlSeconds: 10, mode: "open" });
    visitor.cookies.clear();
    await visitor.send("POST", "/_sluice/queues/revoked-long/enter");
    expect(await refusedForMs()).toBeGreaterThan(TOLERANCE_MS);
  });
});
