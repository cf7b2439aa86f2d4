import { describe, expect, it } from "vitest";
import { type Answer, SETTINGS, startAdminGate } from "./admin-gate.ts";

const gate = await startAdminGate();
const { call, token } = gate;

function expectRefused(answer: Answer): void {
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code: "operator_token_invalid", status: 401 });
  expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.text).not.toContain(token);
}

describe("the operator's routes", () => {
  it.each([
    ["no token", ""],
    ["another token", "Bearer something-else-entirely"],
    ["half of it", `Bearer ${token.slice(0, 20)}`],
    ["more than it", `Bearer ${token}x`],
    ["the token in another case", `Bearer ${swapCase(token)}`],
    ["another scheme", `Basic ${token}`],
    ["the token without its scheme", token],
    ["two tokens", `Bearer ${token}, Bearer ${token}`],
    ["the token and a word", `Bearer ${token} x`],
    ["an empty one", "Bearer "],
    ["8 kB", `Bearer ${"x".repeat(8_000)}`],
  ])("refuse %s", async (_what, authorization) => {
    expectRefused(await call("GET", "/admin/queues", { headers: { authorization } }));
  });

  it.each([
    ["POST", "/admin/queues"],
    ["DELETE", "/admin/queues/launch"],
    ["GET", "/admin/nothing-here"],
    ["PUT", "/admin/routes"],
  ])("reveal nothing without the token, not even whether a route exists: %s %s", async (method, path) => {
    expectRefused(await call(method, path, { headers: { authorization: "Bearer wrong" } }));
  });

  it("write nothing without the token", async () => {
    const headers = { authorization: "Bearer wrong" };
    expectRefused(await call("POST", "/admin/queues", { json: { queueId: "stranger", ...SETTINGS }, headers }));
    expect(await gate.redis.dbsize()).toBe(0);
  });

  it("take the token in any case of the scheme", async () => {
    expect((await call("GET", "/admin/queues", { headers: { authorization: `bearer   ${token}` } })).status).toBe(200);
  });

  it("answer 404 and 405 with what is served", async () => {
    const unknown = await call("GET", "/admin/nothing-here");
    expect([unknown.status, unknown.body["code"]]).toEqual([404, "not_found"]);
    const wrongMethod = await call("PUT", "/admin/queues/launch");
    expect([wrongMethod.status, wrongMethod.body["code"]]).toEqual([405, "method_not_allowed"]);
    expect(wrongMethod.headers.get("allow")?.split(", ").toSorted()).toEqual(["DELETE", "GET", "HEAD", "PATCH"]);
    expect(wrongMethod.headers.get("x-request-id")).toBe(wrongMethod.body["requestId"]);
  });

  it("answer HEAD like GET, without a body", async () => {
    const answer = await call("HEAD", "/admin/queues");
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });

  it("never write the token into the log, neither the right one nor a wrong one", async () => {
    await call("GET", "/admin/queues", { headers: { authorization: "Bearer a-guess-that-is-wrong" } });
    await expect.poll(async () => JSON.stringify(await gate.logLines())).toContain("an operator's token was refused");
    const text = JSON.stringify(await gate.logLines());
    expect(text).not.toContain(token);
    expect(text).not.toContain("a-guess-that-is-wrong");
  });

  it("limit the tries of one address, and not those of others", async () => {
    const from = (address: string, authorization: string) =>
      call("GET", "/admin/queues", { headers: { "cf-connecting-ip": address, authorization } });
    const answers = await Promise.all(Array.from({ length: 260 }, () => from("192.0.2.1", "Bearer wrong")));
    const over = answers.find(({ status }) => status === 429);
    expect(over?.body).toMatchObject({ code: "rate_limited" });
    expect(Number(over?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(over?.headers.get("ratelimit")).toMatch(/^"admin";r=0;t=\d+$/);
    expect((await from("192.0.2.2", `Bearer ${token}`)).status).toBe(200);
  });
});

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
