import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { expect, it, onTestFinished } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { seededRandom } from "../../kit/random.ts";
import { SLOW_MACHINE_MS } from "../../kit/running-stack.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { FENCE_KEY, FORMAT_KEY } from "../../origin/journal/keys.ts";
import { LAYOUT } from "../../origin/state/layout.ts";
import { createWaitingHealth } from "../../origin/waiting-health.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { eventually, kill, openFixtureVenue } from "./fixture-venue.ts";
import { leaseOf, openFixture } from "./open-fixture.ts";
import { fixtureFolder, readRecorded } from "./recorded.ts";

const FIXTURE = "layout-1";
/** Of the version before this one. */
const LATEST = "layout-2";
const KILLS = IS_FULL_RUN ? 8 : 3;

const venueOn = async (stores: Awaited<ReturnType<typeof openFixture>>) =>
  openFixtureVenue({ folder: stores.folder, redisUrl: stores.redisServer.url, dataFolder: stores.folder });

it.each([FIXTURE, ...(IS_FULL_RUN ? [LATEST] : [])])(
  "upgrades the data of %s despite repeated kills, and answers as that version did",
  {
    timeout: SLOW_MACHINE_MS,
  },
  async (fixture) => {
    const stores = await openFixture(fixture);
    const recorded = readRecorded(fixture);
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
    for (const backup of backups)
      expect(await readdir(`${stores.folder}/backups/${backup}`)).toContain("manifest.json");
    for (const { name, password, answers } of recorded.users) {
      const signedIn = await venue.call("POST", "/auth/login", { json: { username: name, password } });
      const token = String(signedIn.body["accessToken"]);
      for (const [path, answer] of Object.entries(answers)) {
        expect({ path, answer: (await venue.call("GET", path, { token })).body }).toEqual({ path, answer });
      }
    }
    expect(venue.sluice(["audit"])).toContain("Everything agrees");
    await child.stop();
  },
);

it("exits with one sentence and leaves the data of a later version unchanged", {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  const stores = await openFixture(FIXTURE);
  await stores.redis.set(FORMAT_KEY, LAYOUT + 1);
  const fence = await stores.redis.hgetall(FENCE_KEY);
  const { child } = await (await venueOn(stores)).launch("api,engine,worker");
  const { code, lastLines } = await child.exited;
  expect(code).toBe(1);
  expect(lastLines.join("\n")).toContain(
    `has layout ${LAYOUT + 1}, this program knows ${LAYOUT}: start the newer program.`,
  );
  expect(await stores.redis.hgetall(FENCE_KEY)).toEqual(fence);
});

it("reports in /health that another process is upgrading", { timeout: SLOW_MACHINE_MS }, async () => {
  const stores = await openFixture(FIXTURE);
  const elsewhere = await leaseOf(stores, "upgrade.elsewhere");
  const { child, healthUrl } = await (await venueOn(stores)).launch("api,engine,worker");
  const health = await eventually(async () => {
    const response = await fetch(healthUrl);
    return { status: response.status, text: await response.text() };
  });
  expect(health).toMatchObject({
    status: 503,
    text: expect.stringContaining("Another process is upgrading the venue's stores"),
  });
  await elsewhere.giveBack();
  const served = async () => ((await fetch(healthUrl)).status === 200 ? true : undefined);
  await eventually(served);
  await child.stop();
});

it("restores a backup of the previous version into new stores, and upgrades it", {
  timeout: SLOW_MACHINE_MS,
}, async () => {
  const folder = await temporaryFolder();
  const server = await startRedisServer({ folder: `${folder}/redis`, fsync: "always" });
  onTestFinished(server.stop);
  const venue = await openFixtureVenue({ folder, redisUrl: server.url });
  expect(venue.sluice(["restore", `${fixtureFolder(LATEST)}backup`])).toMatch(
    /Everything agrees.*Restored at journal entry 51/s,
  );
  const redis = new Redis(server.url);
  expect(await redis.get(FORMAT_KEY)).toBe(String(LAYOUT));
  redis.disconnect();
  const child = await venue.start("api,engine,worker");
  expect(venue.sluice(["audit"])).toContain("Everything agrees");
  await child.stop();
});

it("reports on its port what it waits for, without details for visitors, and frees the port afterwards", async () => {
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
