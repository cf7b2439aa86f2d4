import { afterAll, expect, it } from "vitest";
import { launchBrowser } from "../../kit/browser.ts";
import { SETTINGS, startAdminGate } from "../admin/admin-gate.ts";
import { goTo, signIn } from "./console-page.ts";

const MILLION = 1_000_000;
const SESSIONS = 100_000;
const CALLS_EACH = 5;

/**
 * Commands with a constant cost, however long the line is: O(1), O(log n), or bounded by their arguments, a `LIMIT`
 * among them, or by the number of queues. A sweep that the clock starts meanwhile looks at a bounded number of heads and
 * records its time.
 */
const BOUNDED_COMMANDS = new Set(
  "evalsha eval time get hget hmget hset hgetall exists smembers zcard zcount zscore zmscore zrank zrange zrangebyscore xlen xrange xrevrange".split(
    " ",
  ),
);
/** Also of the bookkeeping on our side of the connection. */
const NOT_THE_EDGE = /^(info|config|ping|client|hello|select|auth|script)/;
/** A page of 50 sessions, three for each. */
const COMMANDS_PER_CALL_MAX = 200;
const BYTES_PER_CALL_MAX = 200_000;

const gate = await startAdminGate({ CLIENT_ADDRESS_FROM: "socket" });
const { redis, call, token } = gate;
const browser = await launchBrowser();
afterAll(() => browser.close());

/** Straight into the zset: how they came there is the line's own business, and tested there. */
async function fill(key: string, count: number, score: string): Promise<void> {
  const source = `
    local base = tonumber(ARGV[1])
    for first = 1, base, 2000 do
      local members = {}
      for index = first, math.min(base, first + 1999) do
        members[#members + 1] = ${score}
        members[#members + 1] = string.format('%022d', index)
      end
      redis.call('ZADD', KEYS[1], unpack(members))
    end`;
  await redis.call("EVAL", source, 1, key, count);
  expect(await redis.zcard(key)).toBe(count);
}

async function counters(): Promise<{ readonly commands: ReadonlyMap<string, number>; readonly bytes: number }> {
  const stats = await redis.info("commandstats");
  const commands = [...stats.matchAll(/cmdstat_([^:|]+)[^:]*:calls=(\d+)/g)].map(
    ([, name = "", calls]) => [name, Number(calls)] as const,
  );
  const [, bytes] = /total_net_output_bytes:(\d+)/.exec(await redis.info("stats")) ?? [];
  return { commands: new Map(commands.filter(([name]) => !NOT_THE_EDGE.test(name))), bytes: Number(bytes) };
}

it("costs the same with a million waiting: the console's calls are few commands, and none grows with the line", async () => {
  const made = await call("POST", "/admin/queues", {
    json: { queueId: "huge", ...SETTINGS, mode: "paused", maxActive: 200_000 },
  });
  // A second try finds the queue of the first.
  expect([201, 409]).toContain(made.status);
  await fill("queue:{huge}:waiting", MILLION, "index");
  await fill("queue:{huge}:active", SESSIONS, String(Date.now() + 3_600_000));

  const page = await browser.newPage();
  const asked = new Set<string>();
  page.on("request", (request) => {
    const path = request.url().slice(`${gate.url}/_sluice`.length);
    if (request.method() === "GET" && path.startsWith("/admin/")) asked.add(path);
  });
  await page.goto(`${gate.url}/_sluice/console`);
  await signIn(page, token);
  for (const tab of ["", "/event", "/sessions", "/invites", "/changes"]) {
    await goTo(page, `#/queues/huge${tab}`, SETTINGS.name);
    if (tab === "") await expect.poll(() => page.locator('[data-value="waiting"]').textContent()).toBe("1,000,000");
    if (tab === "/sessions") await page.getByRole("button", { name: "More" }).click();
  }
  await page.getByLabel("Find a session").waitFor({ state: "detached" });
  await goTo(page, "#/audit", "Audit log");
  await page.close();
  expect(asked.size).toBeGreaterThanOrEqual(7);

  for (const path of asked) {
    const before = await counters();
    for (let times = 0; times < CALLS_EACH; times++) expect((await call("GET", path)).status, path).toBe(200);
    const after = await counters();
    const grown = [...after.commands].filter(([name, calls]) => calls > (before.commands.get(name) ?? 0));
    expect(
      grown.map(([name]) => name).filter((name) => !BOUNDED_COMMANDS.has(name)),
      path,
    ).toEqual([]);
    const commands = grown.reduce((sum, [name, calls]) => sum + calls - (before.commands.get(name) ?? 0), 0);
    expect(commands / CALLS_EACH, path).toBeLessThanOrEqual(COMMANDS_PER_CALL_MAX);
    expect((after.bytes - before.bytes) / CALLS_EACH, path).toBeLessThanOrEqual(BYTES_PER_CALL_MAX);
  }
});
