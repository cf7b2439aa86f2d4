import { readdir } from "node:fs/promises";
import { Redis } from "ioredis";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { signRequest } from "../../kit/sign-request.ts";
import { ISSUER } from "../../kit/token-forge.ts";
import { sealKeysVariable } from "../../origin/accounts/api-keys/seal.ts";
import { migrate } from "../../origin/db/migrate.ts";
import { migrations } from "../../origin/db/migrations.ts";
import { FENCE_KEY, FORMAT_KEY } from "../../origin/journal/keys.ts";
import { doRecordCommand } from "../../origin/operators/record-commands.ts";
import { ENDED_KEY, orderKey } from "../../origin/state/keys.ts";
import { LAYOUT, readLayout } from "../../origin/state/layout.ts";
import { UPGRADING_KEY } from "../../origin/upgrade/keys.ts";
import { UPGRADE_STEPS, type UpgradeStep } from "../../origin/upgrade/steps.ts";
import { upgradeVenue } from "../../origin/upgrade/upgrade-venue.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import { rowsOf, silentLog } from "../ledger/ledger-stores.ts";
import { type Answer, openTestVenue, type TestVenue } from "../venue/venue.ts";
import { contentsOf, type FixtureStores, leaseOf, openFixture } from "./open-fixture.ts";
import { FIXTURE_SECRETS, readRecorded, withoutMoment } from "./recorded.ts";

const FIXTURE = "layout-1";
/** Those after the first layout. */
const LATER_STEPS = UPGRADE_STEPS.filter(({ from }) => from > 1);
const MINUTE_MS = 60_000;
/** The larger, the fewer commands between one kill and the next. */
const NEXT_KILL = IS_FULL_RUN ? 8 : 3;

type Options = Partial<Parameters<typeof upgradeVenue>[0]>;

async function upgrade(stores: FixtureStores, options: Options = {}): Promise<readonly string[]> {
  const told: string[] = [];
  await upgradeVenue({
    ...{
      redis: stores.redis,
      redisUrl: stores.redisServer.url,
      database: await stores.database(),
      dataFolder: stores.folder,
    },
    ...{
      withBackup: false,
      owner: "test",
      nowMs: Date.now,
      tell: (sentence) => void told.push(sentence),
      log: silentLog,
      ...options,
    },
  });
  return told;
}

const tablesOf = async ({ database }: FixtureStores) =>
  (await rowsOf(await database(), "SELECT count(*)::int AS count FROM schema_migrations"))[0]?.["count"];

const STAY = { what: "whose ended orders stay for minutes", options: {} };
const LEAVE = { what: "whose ended orders leave Redis at once", options: { kept: { keptMs: 0 } } };
const USUAL = [
  { fixture: "layout-1", ...STAY },
  { fixture: "layout-2", ...LEAVE },
];
const OTHERS = [
  { fixture: "layout-1", ...LEAVE },
  { fixture: "layout-2", ...STAY },
];

describe.each(IS_FULL_RUN ? [...USUAL, ...OTHERS] : USUAL)("a venue of $fixture, $what,", ({ fixture, options }) => {
  const recorded = readRecorded(fixture);
  let stores: FixtureStores;
  let venue: TestVenue;
  const shiftMs = Date.now() - (recorded.atMs + MINUTE_MS);
  const clock = { nowMs: () => Date.now() - shiftMs };
  let calls = 0;

  /** Signed with the API key of that day: access tokens follow the clock of Redis, which is today's. */
  function ask(name: string, method: string, path: string, json?: unknown): Promise<Answer> {
    const key = recorded.users.find((user) => user.name === name)?.apiKey ?? { id: "", secret: "" };
    const body = json === undefined ? undefined : JSON.stringify(json);
    const facts = {
      method,
      path: `/api/v1${path}`,
      timestampMs: clock.nowMs(),
      nonce: `call-${++calls}-of-the-upgrade`,
      ...(body !== undefined && { body }),
    };
    const headers = {
      ...signRequest({ ...key, ...facts }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    return venue.call(method, path, { headers, ...(body !== undefined && { body }) });
  }

  beforeAll(async () => {
    stores = await openFixture(fixture);
    await upgrade(stores, { withBackup: true });
    const key = await newTokenKey("key-1");
    const database = await stores.database();
    venue = await openTestVenue({
      ...{
        folder: stores.folder,
        redisServer: stores.redisServer,
        postgres: undefined,
        record: async () => database,
        identityKey: key,
        clock,
        options,
      },
      settings: {
        SLUICE_IDENTITY_KEYS: JSON.stringify({ active: key.kid, keys: [key] }),
        SLUICE_VENUE_SECRET: FIXTURE_SECRETS.SLUICE_VENUE_SECRET,
        SLUICE_SEAL_KEYS: sealKeysVariable.parse(FIXTURE_SECRETS.SLUICE_SEAL_KEYS),
        SLUICE_ISSUER: ISSUER,
        SLUICE_REQUESTS_PER_ADDRESS: 10_000,
        SLUICE_PRICE_HOSTS: [],
      },
    });
    const settled = async () => (await venue.fetch(new Request("http://venue.test/health"))).status;
    await vi.waitFor(async () => expect(await settled()).toBe(200), { timeout: 60_000, interval: 50 });
    const hasLeft = async () =>
      (await stores.redis.llen(ENDED_KEY)) === 0 && (await stores.redis.exists(orderKey(3))) === 0;
    if ("kept" in options)
      await vi.waitFor(async () => expect(await hasLeft()).toBe(true), { timeout: 60_000, interval: 50 });
  });

  it("has the newest layout and tables afterwards, and a backup of the earlier state", async () => {
    expect(await readLayout(stores.redis)).toEqual({ kind: "layout", layout: LAYOUT });
    expect(await tablesOf(stores)).toBe(migrations.length);
    expect(await stores.redis.exists(UPGRADING_KEY)).toBe(0);
    const [name = ""] = await readdir(`${stores.folder}/backups`);
    expect(await readdir(`${stores.folder}/backups/${name}`)).toEqual(
      expect.arrayContaining(["manifest.json", "redis.rdb", "orders.jsonl.gz"]),
    );
  });

  it.each(recorded.users)(
    "answers $name as that version did, including commands that were only in its stream",
    async ({ name, answers }) => {
      const lastOfAll = await ask("carol", "GET", "/wallet/history?limit=1");
      expect(lastOfAll.text).toContain("carol-late");
      for (const [path, answer] of Object.entries(answers)) {
        expect({ path, answer: (await ask(name, "GET", path)).body }).toEqual({ path, answer });
      }
    },
  );

  it("gives the same public answers about pairs, books and trades", async () => {
    for (const [path, answer] of Object.entries(recorded.market)) {
      const now = async () => withoutMoment(path, (await venue.call("GET", path)).body);
      // Later versions may add fields.
      await expect.poll(now, { timeout: 20_000 }).toMatchObject(answer as object);
    }
  });

  it("still knows the client order ids of that day", async () => {
    for (const { name, named } of recorded.users) {
      for (const { id, sent } of named) {
        const again = await ask(name, "POST", "/orders", sent);
        expect([name, again.status, again.body["id"]]).toEqual([name, 200, String(id)]);
        const other = await ask(name, "POST", "/orders", { ...sent, side: sent["side"] === "buy" ? "sell" : "buy" });
        expect([other.status, other.body.code]).toEqual([409, "client_order_id_reused"]);
      }
    }
    expect(recorded.users.flatMap(({ named }) => named).length).toBeGreaterThan(5);
  });

  it("accepts and cancels orders, and lets users sign in", async () => {
    const order = {
      pair: "ethidr",
      side: "sell",
      type: "limit",
      price: "60000000",
      quantity: "0.5",
      clientOrderId: "after-the-upgrade",
    };
    const placed = await ask("anna", "POST", "/orders", order);
    expect([placed.status, placed.body["status"]]).toEqual([201, "open"]);
    expect((await ask("anna", "DELETE", "/orders/client/after-the-upgrade")).status).toBe(200);
    const open = recorded.users[0]?.answers["/orders?status=open&limit=100"] as {
      readonly orders: readonly { readonly id: string }[];
    };
    expect((await ask("anna", "DELETE", `/orders/${open.orders[0]?.id}`)).body).toMatchObject({ status: "cancelled" });
    for (const { name, password } of recorded.users) expect((await venue.login(name, { password })).status).toBe(200);
  });

  it("passes an audit", async () => {
    const work = {
      database: venue.database,
      redis: venue.redis,
      redisUrl: venue.redisServer.url,
      nowMs: Date.now,
      isRunning: true,
    };
    const audit = await doRecordCommand({ ...work, name: "audit", target: undefined });
    expect(audit.code, audit.text).toBe(0);
  });
});

describe("an upgrade", () => {
  /** Fails like a killed process: from a given command on, nothing reaches the server. */
  function killedAfter(url: string, commands: number): Redis {
    const redis = new Redis(url);
    redis.on("error", () => {});
    const send = redis.sendCommand.bind(redis);
    let sent = 0;
    redis.sendCommand = (command, stream) => {
      // Not the commands that every connection starts with.
      if (redis.status === "ready") sent++;
      if (sent <= commands) return send(command, stream);
      // A pipeline counts what is written to it before it sends anything.
      stream?.write("");
      command.reject(new Error("killed"));
      return command.promise;
    };
    return redis;
  }

  it("that is killed after any command and restarted ends like an uninterrupted one", {
    timeout: 240_000,
  }, async () => {
    const whole = await openFixture(FIXTURE);
    await upgrade(whole);
    const expected = await contentsOf(whole.redis);
    const { redisServer: _server, redis: _redis, ...tables } = whole;
    let isDone = false;
    for (let commands = 0; !isDone; commands += 1 + Math.floor(commands / NEXT_KILL)) {
      const cut = { ...(await openFixture(FIXTURE)), ...tables };
      const dying = killedAfter(cut.redisServer.url, commands);
      await new Promise((resolve) => dying.once("ready", resolve));
      const first = upgrade({ ...cut, redis: dying });
      isDone = await first.then(
        () => true,
        (error: unknown) => String(error) !== "Error: killed" && Promise.reject(error),
      );
      dying.disconnect();
      // Its lease would expire by itself.
      await cut.redis.hset(FENCE_KEY, "until", 0);
      await upgrade(cut);
      expect(await contentsOf(cut.redis)).toEqual(expected);
      await cut.redisServer.stop();
    }
  });

  it("that was interrupted keeps its backup, and makes no other", async () => {
    const stores = await openFixture(FIXTURE);
    const failing: UpgradeStep = {
      from: 1,
      to: 2,
      what: "a step that fails",
      run: () => Promise.reject(new Error("killed")),
    };
    await expect(upgrade(stores, { withBackup: true, steps: [failing, ...LATER_STEPS] })).rejects.toThrow("killed");
    expect(await tablesOf(stores)).toBe(migrations.length);
    const backups = await readdir(`${stores.folder}/backups`);
    const marked = await stores.redis.hgetall(UPGRADING_KEY);
    expect(marked).toMatchObject({ layout: "1", tables: "6", backup: expect.stringContaining(backups[0] ?? "none") });
    await upgrade(stores, { withBackup: true });
    expect(await readdir(`${stores.folder}/backups`)).toEqual(backups);
    expect(await readLayout(stores.redis)).toEqual({ kind: "layout", layout: LAYOUT });
  });

  it("changes nothing when the backup cannot be made", async () => {
    const stores = await openFixture(FIXTURE);
    const before = await contentsOf(stores.redis);
    const dataFolder = `${stores.folder}/postgres/PG_VERSION`;
    await expect(upgrade(stores, { withBackup: true, dataFolder })).rejects.toThrow("so nothing was changed");
    expect(await contentsOf(stores.redis)).toEqual(before);
    expect(await tablesOf(stores)).toBe(6);
  });

  it("keeps the last three backups", async () => {
    const stores = await openFixture(FIXTURE);
    for (let day = 1; day <= 5; day++) {
      await stores.redis.set(FORMAT_KEY, 1);
      await upgrade(stores, { withBackup: true, nowMs: () => Date.UTC(2027, 0, day) });
    }
    const names = (await readdir(`${stores.folder}/backups`)).toSorted();
    expect(names.map((name) => name.slice(0, 25))).toEqual([
      "before-upgrade-2027-01-03",
      "before-upgrade-2027-01-04",
      "before-upgrade-2027-01-05",
    ]);
  });

  it.each([
    ["a later layout", String(LAYOUT + 1), `has layout ${LAYOUT + 1}, this program knows ${LAYOUT}`],
    ["an unknown layout", "two", "is not known to this program"],
  ])("refuses %s and changes nothing", async (_what, format, sentence) => {
    const stores = await openFixture(FIXTURE);
    await stores.redis.set(FORMAT_KEY, format);
    const before = await contentsOf(stores.redis);
    const fence = await stores.redis.hgetall(FENCE_KEY);
    await expect(upgrade(stores, { withBackup: true })).rejects.toThrow(sentence);
    expect(await contentsOf(stores.redis)).toEqual(before);
    expect(await stores.redis.hgetall(FENCE_KEY)).toEqual(fence);
    expect(await tablesOf(stores)).toBe(6);
    expect(await readdir(stores.folder)).not.toContain("backups");
  });

  it("refuses tables of a later program and changes nothing", async () => {
    const stores = await openFixture(FIXTURE);
    const before = await contentsOf(stores.redis);
    await expect(upgrade(stores, { migrations: migrations.slice(0, 5) })).rejects.toThrow(
      "is at version 6, this program knows 5",
    );
    expect(await contentsOf(stores.redis)).toEqual(before);
    expect(await tablesOf(stores)).toBe(6);
  });

  it("refuses to change stores on which an engine of an earlier version leads", async () => {
    const stores = await openFixture(FIXTURE);
    const old = await leaseOf(stores, "4711.old");
    const before = await contentsOf(stores.redis);
    await expect(upgrade(stores)).rejects.toThrow("stop every process of that version");
    await old.giveBack();
    expect(await contentsOf(stores.redis)).toEqual(before);
    expect(await tablesOf(stores)).toBe(6);
  });

  it("runs in one process: others wait for it and report that", async () => {
    const stores = await openFixture(FIXTURE);
    const other: Redis = stores.redis.duplicate();
    const isHeld = Promise.withResolvers<void>();
    let runs = 0;
    const slow: UpgradeStep = {
      ...{ from: 1, to: 2, what: "a step that waits" },
      run: async ({ page }) => {
        runs++;
        await isHeld.promise;
        page("half of it");
      },
    };
    const steps = [slow, ...LATER_STEPS];
    const first = upgrade(stores, { steps, owner: "first" });
    await expect.poll(() => runs).toBe(1);
    const told: string[] = [];
    const second = upgrade(
      { ...stores, redis: other },
      { steps, owner: "second", tell: (sentence) => void told.push(sentence) },
    );
    await expect
      .poll(() => told)
      .toContain("Another process is upgrading the venue's stores; this one starts when that is done.");
    isHeld.resolve();
    expect(await first).toContain("Upgrading the venue's Redis to layout 2: a step that waits (half of it).");
    await second;
    expect(runs).toBe(1);
    other.disconnect();
  });

  it("has nothing to do in a new venue, which starts with the newest layout", async () => {
    const stores = await openFixture(FIXTURE);
    await migrate(await stores.database(), migrations);
    await stores.redis.flushall();
    expect(await upgrade(stores, { withBackup: true })).toEqual([]);
    expect(await stores.redis.dbsize()).toBe(0);
    expect(await readdir(stores.folder)).not.toContain("backups");
    expect(UPGRADE_STEPS.at(-1)?.to).toBe(LAYOUT);
  });
});
