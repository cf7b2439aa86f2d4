import { decodeJwt, decodeProtectedHeader } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { newSessionId, SETTINGS, startAdminGate } from "./admin-gate.ts";

const gate = await startAdminGate();
const { call, redis } = gate;
const DAY_MS = 86_400_000;
const post = (json: unknown, queueId = "launch") => call("POST", `/admin/queues/${queueId}/invites`, { json });

beforeAll(async () => {
  await call("POST", "/admin/queues", { json: { queueId: "launch", ...SETTINGS } });
});

describe("POST /_sluice/admin/queues/{id}/invites", () => {
  it("signs an invite for a lane: one use and a week unless told otherwise, and nothing is stored", async () => {
    const keys = await redis.dbsize();
    const answer = await post({ lane: 2 });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body).toSorted()).toEqual(["expiresAt", "invite", "inviteId", "lane", "uses"]);
    expect(answer.body).toMatchObject({ lane: 2, uses: 1 });
    expect(Number(answer.body["expiresAt"]) - Date.now()).toBeGreaterThan(7 * DAY_MS - 60_000);
    const invite = String(answer.body["invite"]);
    expect(decodeProtectedHeader(invite)).toEqual({ alg: "EdDSA", typ: "sluice-invite+jwt", kid: "k1" });
    expect(decodeJwt(invite)).toMatchObject({
      aud: "sluice:invite:launch",
      sub: answer.body["inviteId"],
      lane: 2,
      uses: 1,
    });
    expect(await redis.dbsize()).toBe(keys);
  });

  it("takes uses, an end, a key and a note; the invite contains a hash of the key, the same for one person in one queue", async () => {
    const expiresAt = Date.now() + DAY_MS;
    const [one, again, other] = [
      await post({ lane: 3, uses: 20, expiresAt, key: "ada@example.test", note: "press" }),
      await post({ lane: 1, key: " ada@example.test " }),
      await post({ lane: 3, key: "bob@example.test" }),
    ];
    expect(one.body).toMatchObject({ lane: 3, uses: 20, expiresAt });
    const personOf = (answer: typeof one) => decodeJwt(String(answer.body["invite"]))["person"];
    expect(personOf(one)).toMatch(/^[0-9a-f]{22}$/);
    expect([personOf(again) === personOf(one), personOf(other) === personOf(one)]).toEqual([true, false]);
    const line = async () =>
      (await gate.logLines()).find(({ requestId }) => requestId === one.headers.get("x-request-id"));
    const after = { inviteId: one.body["inviteId"], lane: 3, uses: 20, note: "press", isKeyed: true };
    await expect.poll(line).toMatchObject({ msg: "an operator signed an invite", after });
    expect(JSON.stringify(await gate.logLines())).not.toContain("ada@");
  });

  it.each([
    ["no lane", {}, "lane"],
    ["a lane that is not there", { lane: 4 }, "lane"],
    ["a lane as text", { lane: "2" }, "lane"],
    ["no use", { lane: 1, uses: 0 }, "uses"],
    ["half a use", { lane: 1, uses: 1.5 }, "uses"],
    ["more uses than there may be", { lane: 1, uses: 10_001 }, "uses"],
    ["an end that is past", { lane: 1, expiresAt: Date.now() - 1 }, "expiresAt"],
    ["an end in a year", { lane: 1, expiresAt: Date.now() + 365 * DAY_MS }, "expiresAt"],
    ["an end in seconds", { lane: 1, expiresAt: Math.floor(Date.now() / 1000) }, "expiresAt"],
    ["an empty key", { lane: 1, key: " " }, "key"],
    ["a long key", { lane: 1, key: "k".repeat(201) }, "key"],
    ["a field that is not known", { lane: 1, colour: "gold" }, "colour"],
  ])("refuses %s by its name", async (_what, body, field) => {
    const answer = await post(body);
    expect([answer.status, answer.body["code"]]).toEqual([422, "validation_failed"]);
    expect((answer.body["errors"] as { field: string }[]).map((error) => error.field)).toEqual([field]);
  });

  it("knows no queue that is not there, and no operator without the token", async () => {
    expect((await post({ lane: 1 }, "nowhere")).body["code"]).toBe("queue_not_found");
    const stranger = await call("POST", "/admin/queues/launch/invites", {
      json: { lane: 3 },
      headers: { authorization: "Bearer wrong" },
    });
    expect(stranger.status).toBe(401);
  });
});

describe("DELETE /_sluice/admin/queues/{id}/invites/{inviteId}", () => {
  it("revokes an invite, once or twice, known or not, and remembers it longer than any invite lives", async () => {
    const inviteId = newSessionId();
    for (const _time of [1, 2])
      expect((await call("DELETE", `/admin/queues/launch/invites/${inviteId}`)).status).toBe(204);
    const key = `queue:{launch}:invite:${inviteId}`;
    expect(await redis.smembers(key)).toEqual(["revoked"]);
    expect(await redis.pttl(key)).toBeGreaterThan(90 * DAY_MS - 60_000);
    const { body } = await call("GET", "/admin/audit?limit=2");
    const entry = { action: "invite.revoke", before: { inviteId }, after: null };
    expect(body["entries"]).toMatchObject([entry, entry]);
  });

  it("refuses an id that is none, and a queue that is not there", async () => {
    expect((await call("DELETE", "/admin/queues/launch/invites/short")).status).toBe(422);
    expect((await call("DELETE", `/admin/queues/nowhere/invites/${newSessionId()}`)).status).toBe(404);
  });
});
