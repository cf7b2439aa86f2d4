import { beforeAll, describe, expect, it } from "vitest";
import { openLine } from "../../edge/line/line.ts";
import { readPrometheusText, type Scrape } from "../../kit/prometheus-text.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { expositionText } from "../../shared/http/exposition.ts";
import { newSessionId, SETTINGS, startAdminGate } from "./admin-gate.ts";

const gate = await startAdminGate();
const { call, redis } = gate;

beforeAll(async () => {
  for (const queueId of ["launch", "demo"]) {
    const json = { queueId, ...SETTINGS, maxActive: 2, admissionRate: 1_000, admissionBurst: 1_000 };
    expect((await call("POST", "/admin/queues", { json })).status).toBe(201);
  }
});

const line = openLine({ store: scriptRunner(redis), queueId: "launch", ticketLifeMs: 3_600_000, random: () => 0.5 });

async function enter(): Promise<string> {
  const ticketId = newSessionId();
  await line.enter({ ticketId, lane: 0, addressHash: "h", ticketsPerIp: 0 });
  return ticketId;
}

async function scrape(): Promise<Scrape> {
  const { status, headers, text } = await call("GET", "/metrics");
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  return readPrometheusText(text);
}

function sampleOf(
  scraped: Scrape,
  name: string,
  labels: Readonly<Record<string, string>> = {},
  suffix = "",
): number | undefined {
  const isMeant = (found: Readonly<Record<string, string>>) =>
    Object.entries(labels).every(([label, value]) => found[label] === value);
  return scraped.get(name)?.samples.find((sample) => sample.name === name + suffix && isMeant(sample.labels))?.value;
}

describe("GET /_sluice/metrics", () => {
  it("is for operators only", async () => {
    for (const authorization of ["", "Bearer wrong"])
      expect((await call("GET", "/metrics", { headers: { authorization } })).status).toBe(401);
    expect((await call("POST", "/metrics")).status).toBe(404);
  });

  it("tells how full each queue is and what it is set to, in text that a strict reader takes", async () => {
    const [, , third] = [await enter(), await enter(), await enter()];
    const scraped = await scrape();
    const launch = { queue: "launch" };
    expect(sampleOf(scraped, "sluice_queue_waiting", launch)).toBe(1);
    expect(sampleOf(scraped, "sluice_queue_active", launch)).toBe(2);
    expect(sampleOf(scraped, "sluice_queue_max_active", launch)).toBe(2);
    expect(sampleOf(scraped, "sluice_queue_admission_rate", launch)).toBe(1_000);
    expect(sampleOf(scraped, "sluice_queue_mode", { ...launch, mode: "active" })).toBe(1);
    expect(sampleOf(scraped, "sluice_queue_enqueued_total", launch)).toBe(3);
    expect(sampleOf(scraped, "sluice_queue_admitted_total", launch)).toBe(2);
    expect(sampleOf(scraped, "sluice_queue_waiting", { queue: "demo" })).toBe(0);
    expect(sampleOf(scraped, "sluice_store_up")).toBe(1);
    await line.leave({ ticketId: third ?? "" });
    const after = await scrape();
    expect(sampleOf(after, "sluice_queue_left_total", launch)).toBe(1);
    expect(sampleOf(after, "sluice_queue_wait_seconds", { ...launch, outcome: "admitted" }, "_count")).toBe(2);
    expect(sampleOf(after, "sluice_queue_wait_seconds", { ...launch, outcome: "admitted", le: "0" }, "_bucket")).toBe(
      2,
    );
    expect(sampleOf(after, "sluice_queue_wait_seconds", { ...launch, outcome: "gave_up" }, "_count")).toBe(1);
  });

  it("counts up whatever becomes of the minutes and hours", async () => {
    const before = await scrape();
    const stats = "queue:{launch}:stats";
    // As if the last change had been made two days ago.
    await redis.hincrby(stats, "minute", -2_880);
    await redis.hincrby(stats, "hour", -48);
    const leaver = await enter();
    await line.leave({ ticketId: leaver });
    const after = await scrape();
    for (const name of ["enqueued", "left"]) {
      const total = `sluice_queue_${name}_total`;
      expect(sampleOf(after, total, { queue: "launch" })).toBe((sampleOf(before, total, { queue: "launch" }) ?? 0) + 1);
    }
  });

  it("counts this edge's own answers and calls to the store", async () => {
    const before = await scrape();
    await call("GET", "/admin/queues/nowhere");
    const after = await scrape();
    const missing = { route: "own", status: "404" };
    expect(sampleOf(after, "sluice_edge_answers_total", missing)).toBe(
      (sampleOf(before, "sluice_edge_answers_total", missing) ?? 0) + 1,
    );
    const answered = { result: "answered" };
    expect(sampleOf(after, "sluice_edge_store_calls_total", answered)).toBeGreaterThan(
      sampleOf(before, "sluice_edge_store_calls_total", answered) ?? 0,
    );
  });

  it("holds no id of a session and no address", async () => {
    const sessionId = await enter();
    const { text } = await call("GET", "/metrics", { headers: { "cf-connecting-ip": "192.0.2.123" } });
    expect(text).not.toContain(sessionId);
    expect(text).not.toContain("192.0.2.123");
  });
});

describe("GET /_sluice/admin/queues/{id}/stats", () => {
  it("answers with the hours that were asked for, three hours of minutes, and how it is now", async () => {
    const { status, headers, body } = await call("GET", "/admin/queues/launch/stats?hours=3");
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    const { hours, minutes, live, at } = body as unknown as {
      hours: { startsAt: number }[];
      minutes: { startsAt: number }[];
      live: object;
      at: number;
    };
    expect([hours.length, minutes.length]).toEqual([3, 180]);
    expect(hours.map(({ startsAt }) => startsAt)).toEqual(
      hours.map((_, index) => (hours[2]?.startsAt ?? 0) - (2 - index) * 3_600_000),
    );
    expect(at - (minutes.at(-1)?.startsAt ?? 0)).toBeLessThan(60_000);
    expect(live).toMatchObject({ mode: "active", maxActive: 2, active: 2, admissionRate: 1_000 });
  });

  it("tells the limits in force while an event has some of its own, and no end for a line that does not move yet", async () => {
    const opensAt = Date.now() + 3_600_000;
    const event = {
      prequeueOpensAt: opensAt - 7_200_000,
      opensAt,
      closesAt: null,
      eventOverrides: { maxActive: 77, admissionRate: 7 },
    };
    const json = { queueId: "event", ...SETTINGS, ...event };
    expect((await call("POST", "/admin/queues", { json })).status).toBe(201);
    await redis.zadd("queue:{event}:waiting", 1, "somebody");
    const live = async () => (await call("GET", "/admin/queues/event/stats?hours=1")).body["live"];
    expect(await live()).toMatchObject({ waiting: 1, maxActive: SETTINGS.maxActive, clearsInSeconds: null });
    await redis.hset("queue:{event}:meta", "opens_at", Date.now() - 1_000);
    expect(await live()).toMatchObject({ maxActive: 77, admissionRate: 7, clearsInSeconds: 1 });
  });

  it("does not grow with the line", async () => {
    const members = Array.from({ length: 20_000 }, (_, index) => [index + 1, `waiting-${index}`]).flat();
    await redis.zadd("queue:{demo}:waiting", ...members);
    await redis.config("RESETSTAT");
    const { body } = await call("GET", "/admin/queues/demo/stats");
    expect(body["live"]).toMatchObject({ waiting: 20_000 });
    const commands = await redis.info("commandstats");
    expect(commands).not.toMatch(/cmdstat_z(?:range|rank|scan|score)/);
  });

  it.each(["hours=0", "hours=25", "hours=x", "hours=1.5", "hours=1&hours=2", "minutes=3"])(
    "refuses %s",
    async (query) => {
      expect((await call("GET", `/admin/queues/launch/stats?${query}`)).status).toBe(422);
    },
  );

  it("answers 404 for a queue that is not there", async () => {
    expect((await call("GET", "/admin/queues/nowhere/stats")).status).toBe(404);
  });
});

describe("the text format", () => {
  it("escapes what would break a line, and the strict reader gives it back", () => {
    const text = 'a "quoted" \\ text\nof two lines';
    const scraped = readPrometheusText(
      expositionText([
        { name: "x", type: "gauge", help: text, samples: [{ labels: { text }, value: Number.POSITIVE_INFINITY }] },
      ]),
    );
    expect(scraped.get("x")?.samples).toEqual([{ name: "x", labels: { text }, value: Number.POSITIVE_INFINITY }]);
  });

  it.each([
    ["no end of the last line", "# HELP x y\n# TYPE x gauge\nx 1"],
    ["a sample without a type", "# HELP x y\nx 1\n"],
    ["a name twice", "# HELP x y\n# TYPE x gauge\nx 1\nx 2\n"],
    ["an open quote", '# HELP x y\n# TYPE x gauge\nx{a="b} 1\n'],
    ["a counter without _total", "# HELP x y\n# TYPE x counter\nx 1\n"],
    ["a number that is none", "# HELP x y\n# TYPE x gauge\nx one\n"],
    [
      "buckets that shrink",
      '# HELP x y\n# TYPE x histogram\nx_bucket{le="1"} 2\nx_bucket{le="+Inf"} 1\nx_sum 1\nx_count 1\n',
    ],
  ])("has a reader that objects to %s", (_what, text) => {
    expect(() => readPrometheusText(text)).toThrow();
  });
});

it("works without the store, and says so", async () => {
  await gate.takeStoreAway();
  await expect.poll(async () => sampleOf(await scrape(), "sluice_store_up")).toBe(0);
  const scraped = await scrape();
  expect(scraped.has("sluice_queue_waiting")).toBe(false);
  const failures = (result: string) => sampleOf(scraped, "sluice_edge_store_calls_total", { result }) ?? 0;
  expect(failures("failed") + failures("withheld")).toBeGreaterThan(0);
});
