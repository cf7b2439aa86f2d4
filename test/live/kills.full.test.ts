import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import type { Changes } from "../../origin/engine/changes.ts";
import { createLiveBook } from "../../shared/live/live-book.ts";
import { freePort } from "../../stack/servers/free-port.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { openCore, until } from "../core/core.ts";
import { makeOrders } from "../core/make-orders.ts";
import { type OriginProcess, startOrigin } from "../core/processes.ts";
import { createBookAuditor } from "./book-auditor.ts";
import { connectLive } from "./live-stack.ts";
import { createReceived, expectExactlyOnce, keepJournal, type Received } from "./user-auditor.ts";

/**
 * L1 and L2 with kills: hub, engine and Redis are killed in turn while orders are placed. A book equals the journal at
 * its own `seq`, and every private message arrives exactly once. `LIVE_KILLS` sets how many kills.
 */
const KILLS = Number(process.env["LIVE_KILLS"] ?? 100);
const BOOKS = 4;
const USERS = 40;
const CHANNELS = ["orders", "balances", "trades"];
const LOADER = new URL("../../stack/program/lua-loader.ts", import.meta.url).href;
const ENTRY = fileURLToPath(new URL("./live-process.ts", import.meta.url));
const userAt = (index: number) => `user-${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;

const folder = await temporaryFolder();
let server = await startRedisServer({ folder, fsync: "always" });
const { url } = server;
const port = await freePort();
const environment = { ...process.env, VENUE_REDIS_URL: url, PORT: String(port) };
let hub = await startHub();
afterAll(async () => {
  hub.kill("SIGKILL");
  await server.stop();
});

async function startHub(): Promise<ChildProcess> {
  const child = fork(ENTRY, [], { execArgv: ["--import", LOADER], env: environment });
  await once(child, "message");
  return child;
}

async function killHub(): Promise<void> {
  const exited = once(hub, "exit");
  hub.kill("SIGKILL");
  await exited;
  hub = await startHub();
}

async function killRedis(): Promise<void> {
  process.kill(server.child.pid, "SIGKILL");
  await server.child.exited;
  server = await startRedisServer({ folder, fsync: "always", port: server.port });
}

it("loses and repeats nothing when hub, engine and Redis are killed", async () => {
  const random = seededRandom(51);
  const api = await openCore(server, { SLUICE_ROLES: ["api"] });
  let engines: OriginProcess[] = [startOrigin({ url }), startOrigin({ url })];
  await until(async () => (await api.redis.exists("v1:{t0}:offset")) === 1);
  const orders = makeOrders(api, 51);
  const books = Array.from({ length: BOOKS }, () => {
    const book = createLiveBook();
    const client = connectLive({ port: () => port, random: random.next });
    client.subscribe("book:btcidr", { onMessage: (message) => expect(book.apply(message)).toBe(true) });
    return { book, client, auditor: createBookAuditor(api.redis, "btcidr") };
  });
  const readers = Array.from({ length: USERS }, (_, index) => {
    const received = createReceived();
    const client = connectLive({ port: () => port, user: userAt(index), random: random.next });
    for (const channel of CHANNELS) client.subscribe(channel, { onMessage: received.note });
    return { user: userAt(index), client, received };
  });
  const journal = new Map<number, Changes>();
  const counts = { hub: 0, engine: 0, redis: 0 };

  async function killEngine(): Promise<void> {
    const victim = random.between(0, 1);
    engines[victim]?.signal("SIGKILL");
    await engines[victim]?.child.exited;
    engines = [...engines.filter((_, index) => index !== victim), startOrigin({ url })];
  }

  const kills = { hub: killHub, engine: killEngine, redis: killRedis };
  for (let kill = 0; kill < KILLS; kill++) {
    await orders.untilMore(random.between(50, 150));
    const name = random.pick<keyof typeof kills>(["hub", "engine", "redis"]);
    counts[name]++;
    await kills[name]();
    await until(() => api.redis.status === "ready");
    await orders.untilMore(50);
    await keepJournal(api.redis, journal);
    for (const { book, client, auditor } of books) {
      await auditor.compare(book);
      if (random.chance(0.2)) client.cut();
    }
  }
  await orders.stop();
  await sleep(100);
  await keepJournal(api.redis, journal);
  for (const { user, client, received } of readers) {
    await until(() => isUpToDate(journal, user, received), 60_000);
    await expectExactlyOnce(api.redis, journal, { user, received });
    client.stop();
  }
  for (const { client, auditor } of books) {
    expect(auditor.comparisons()).toBeGreaterThan(0);
    client.stop();
  }
  const messages = readers.reduce((sum, { received }) => sum + received.messages.length, 0);
  const compared = books.reduce((sum, { auditor }) => sum + auditor.comparisons(), 0);
  process.stderr.write(`${JSON.stringify({ kills: counts, entries: journal.size, messages, compared })}\n`);
}, 3_600_000);

/** Whether the user's last change of a balance has arrived, and with it everything before. */
function isUpToDate(journal: ReadonlyMap<number, Changes>, user: string, { messages }: Received): boolean {
  const last = [...journal].findLast(([, { balances }]) => balances.some((balance) => balance.user === user))?.[0] ?? 0;
  return messages.some(({ channel, seq }) => channel === "balances" && seq >= last);
}
