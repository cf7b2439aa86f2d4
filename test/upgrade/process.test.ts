import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { expect, it, onTestFinished } from "vitest";
import { FENCE_KEY, FORMAT_KEY } from "../../origin/commit/keys.ts";
import { LAYOUT } from "../../origin/commit/layout.ts";
import { freePort } from "../../origin/stack/free-port.ts";
import { startRedisServer } from "../../origin/stack/redis-server.ts";
import { createWaitingHealth } from "../../origin/upgrade/waiting-health.ts";
import { SLOW_MACHINE_MS } from "../parts/running-stack.ts";
import { temporaryFolder } from "../parts/temporary-folder.ts";
import { seededRandom } from "../sim/random.ts";
import { eventually, kill, openFixtureVenue } from "./fixture-venue.ts";
import { leaseOf, openFixture } from "./open-fixture.ts";
import { fixtureFolder, readRecorded } from "./recorded.ts";

const FIXTURE = "layout-1";
const KILLS = 8;
const recorded = readRecorded(FIXTURE);

const venueOn = async (stores: Awaited<ReturnType<typeof openFixture>>) =>
  openFixtureVenue({ folder: stores.folder, redisUrl: stores.redisServer.url, dataFolder: stores.folder });

it("starts on the data of the version before, killed again and again while it upgrades, and tells everybody what that version told", {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  const stores = await openFixture(FIXTURE);
  const venue = await venueOn(stores);
  const random = seededRandom(7);
  for (let kills = 0; kills < KILLS; kills++) {
    const { child } = await venue.launch("api,engine,worker");
    await sleep(300 + random.next() * 1_500);
    await kill(child);
  }
  const child = await venue.start("api,engine,worker");
  expect(await stores.redis.get(FORMAT_KEY)).toBe(String(LAYOUT));
  const backups = await readdir(`${stores.folder}/backups`);
  expect(backups.length).toBeLessThanOrEqual(3);
  for (const backup of backups) expect(await readdir(`${stores.folder}/backups/${backup}`)).toContain("manifest.json");
  for (const { name, password, answers } of recorded.users) {
    const signedIn = await venue.call("POST", "/auth/login", { json: { username: name, password } });
    const token = String(signedIn.body["accessToken"]);
    for (const [path, answer] of Object.entries(answers)) {
      expect({ path, answer: (await venue.call("GET", path, { token })).body }).toEqual({ path, answer });
    }
  }
  expect(venue.sluice(["audit"])).toContain("Everything agrees");
  await child.stop();
});

it("ends with one sentence before it touches the data of a later version", { timeout: SLOW_MACHINE_MS }, async () => {
  const stores = await openFixture(FIXTURE);
  await stores.redis.set(FORMAT_KEY, LAYOUT + 1);
  const fence = await stores.redis.hgetall(FENCE_KEY);
  const { child } = await (await venueOn(stores)).launch("api,engine,worker");
  const { code, lastLines } = await child.exited;
  expect(code).toBe(1);
  expect(lastLines.join("\n")).toContain(`has layout ${LAYOUT + 1}, this program knows ${LAYOUT}: start the newer program.`);
  expect(await stores.redis.hgetall(FENCE_KEY)).toEqual(fence);
});

it("says in /health that another process upgrades", { timeout: SLOW_MACHINE_MS }, async () => {
  const stores = await openFixture(FIXTURE);
  const elsewhere = await leaseOf(stores, "upgrade.elsewhere");
  const { child, healthUrl } = await (await venueOn(stores)).launch("api,engine,worker");
  const health = await eventually(async () => {
    const response = await fetch(healthUrl);
    return { status: response.status, text: await response.text() };
  });
  expect(health).toMatchObject({ status: 503, text: expect.stringContaining("Another process upgrades the venue's stores") });
  await elsewhere.giveBack();
  const served = async () => ((await fetch(healthUrl)).status === 200 ? true : undefined);
  await eventually(served);
  await child.stop();
});

it("restores a backup of the version before into new stores, and brings it forward", { timeout: SLOW_MACHINE_MS }, async () => {
  const folder = await temporaryFolder();
  const server = await startRedisServer({ folder: `${folder}/redis`, fsync: "always" });
  onTestFinished(server.stop);
  const venue = await openFixtureVenue({ folder, redisUrl: server.url });
  expect(venue.sluice(["restore", `${fixtureFolder(FIXTURE)}backup`])).toMatch(/Everything agrees.*Restored at journal entry 51/s);
  const redis = new Redis(server.url);
  expect(await redis.get(FORMAT_KEY)).toBe(String(LAYOUT));
  redis.disconnect();
  const child = await venue.start("api,engine,worker");
  expect(venue.sluice(["audit"])).toContain("Everything agrees");
  await child.stop();
});

it("has a port that says what the process waits for, shows visitors no details, and is free afterwards", async () => {
  const port = await freePort();
  const waiting = createWaitingHealth({ host: "127.0.0.1", port });
  waiting.tell("Making a backup of both stores before the upgrade.");
  const url = `http://127.0.0.1:${port}`;
  const health = await eventually(async () => (await fetch(`${url}/health`)).json());
  expect(health).toMatchObject({
    status: "down",
    down: ["upgrade"],
    parts: [{ name: "origin" }, { detail: expect.stringContaining("backup") }],
  });
  const throughTheGate = await fetch(`${url}/health`, { headers: { "x-forwarded-host": "venue.test" } });
  expect(await throughTheGate.text()).not.toContain("backup");
  const other = await fetch(`${url}/api/v1/orders`);
  expect([other.status, other.headers.get("retry-after")]).toEqual([503, "5"]);
  await waiting.stop();
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});
