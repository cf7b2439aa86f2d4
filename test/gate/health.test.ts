import { beforeEach, describe, expect, it } from "vitest";
import { type Answer, sendRequest } from "../../kit/send-request.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until } from "./visitor.ts";

const TOKEN = "an-operator-of-this-test";
const stack = await startGateStack({ variables: { SLUICE_ADMIN_TOKEN: TOKEN } });
const { origin, redis } = stack;
await stack.setQueue("shop");
const OPERATOR = { authorization: `Bearer ${TOKEN}` };
const DETAIL = "leader, at journal entry 81234";

const answerHealth = (state: "ok" | "down") =>
  origin.answerWith((asked, answer) => {
    if (asked.url === "/health") healthCalls++;
    const parts = [
      { name: "origin", state: "ok" },
      { name: "engine", state, detail: DETAIL },
    ];
    answer.writeHead(state === "ok" ? 200 : 503, { "content-type": "application/json" });
    answer.end(JSON.stringify({ status: state, down: state === "ok" ? [] : ["engine"], parts }));
  });
let healthCalls = 0;

beforeEach(() => {
  answerHealth("ok");
  healthCalls = 0;
});

/** From any address of this machine. */
function health(from: string, headers: Readonly<Record<string, string>> = JSON_PLEASE): Promise<Answer> {
  return sendRequest(`${stack.url}/_sluice/health`, { localAddress: from, headers });
}

async function scriptCalls(): Promise<number> {
  const stats = await redis.info("commandstats");
  return [...stats.matchAll(/cmdstat_evalsha(?:_ro)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}

describe("GET /_sluice/health", () => {
  it("checks the parts at most once a second, however often it is called, also concurrently", async () => {
    const before = await scriptCalls();
    const startedAt = performance.now();
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => health(`127.0.1.${round * 10 + (index % 10) + 1}`)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    const seconds = Math.ceil((performance.now() - startedAt) / 1000);
    expect(healthCalls).toBeGreaterThan(0);
    expect(healthCalls).toBeLessThanOrEqual(seconds + 1);
    // The store is asked for other things too: what the edge knows of routes and queues is read once a second.
    expect((await scriptCalls()) - before).toBeLessThanOrEqual((seconds + 1) * 4);
  });

  it("says within two seconds that a part has failed, and that it has recovered", async () => {
    answerHealth("down");
    await until(async () => (await health("127.0.2.1")).status === 503, { withinMs: 2_500, everyMs: 100 });
    answerHealth("ok");
    await until(async () => (await health("127.0.2.1")).status === 200, { withinMs: 2_500, everyMs: 100 });
  });

  it("shows details to operators only, in JSON and on the page", async () => {
    const parts = [
      { name: "edge", state: "ok" },
      { name: "store", state: "ok" },
      { name: "origin", state: "ok" },
    ];
    const anybody = await health("127.0.2.2");
    expect(JSON.parse(anybody.text)).toEqual({
      status: "ok",
      down: [],
      parts: [...parts, { name: "engine", state: "ok" }],
    });
    const operator = await health("127.0.2.2", OPERATOR);
    expect(JSON.parse(operator.text)).toMatchObject({
      parts: [...parts, { name: "engine", state: "ok", detail: DETAIL }],
    });
    expect((await health("127.0.2.2", { accept: "text/html" })).text).not.toContain(DETAIL);
    expect((await health("127.0.2.2", { accept: "text/html", ...OPERATOR })).text).toContain(DETAIL);
    for (const authorization of ["Bearer wrong-token-of-this-test", "Basic dXNlcjpwYXNz"]) {
      const stranger = await health("127.0.2.2", { ...JSON_PLEASE, authorization });
      expect([stranger.status, stranger.text.includes(DETAIL)]).toEqual([200, false]);
    }
  });

  it("shows details to an operator who is signed in to the console and opens the page", async () => {
    const visitor = createVisitor(stack.url);
    const signIn = { "content-type": "application/json", origin: stack.url };
    expect(
      (await visitor.send("POST", "/_sluice/console/session", signIn, JSON.stringify({ token: TOKEN }))).status,
    ).toBe(200);
    const navigation = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    expect((await health("127.0.2.3", { ...navigation, cookie })).text).toContain(DETAIL);
    expect((await health("127.0.2.3", { ...navigation, cookie: cookie.slice(0, -3) })).text).not.toContain(DETAIL);
    // A script of the application on this host sends the cookie, and must not read more than the public.
    const script = { accept: "application/json", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", cookie };
    expect((await health("127.0.2.3", script)).text).not.toContain(DETAIL);
  });

  it("is limited for each address", async () => {
    const flood = await Promise.all(Array.from({ length: 400 }, () => health("127.0.2.4")));
    const refused = flood.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(100);
    expect(refused[0]?.text).toContain("rate_limited");
    expect((await health("127.0.2.5")).status).toBe(200);
  });
});
