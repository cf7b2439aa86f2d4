import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { createLiveBook } from "../../shared/live/live-book.ts";
import { engineIs, startCore, until } from "../core/core.ts";
import { makeOrders } from "../core/make-orders.ts";
import { createBookAuditor } from "./book-auditor.ts";
import { connectLive, startLive } from "./live-stack.ts";

/** L1: a client that follows `prev` never holds a wrong book. */

const core = await startCore();
await engineIs(core, "leader");
const lives = [await startLive({ url: core.server.url }), await startLive({ url: core.server.url })];
afterAll(() => Promise.all(lives.map((live) => live.stop())));

it("keeps the engine's book through disconnects, other processes and restarts of the hub", async () => {
  const random = seededRandom(21);
  const ports = (): [number, ...number[]] => [lives[0]?.port ?? 0, ...lives.slice(1).map(({ port }) => port)];
  const orders = makeOrders(core, 21);
  const readers = Array.from({ length: 4 }, () => {
    const client = connectLive({ port: () => random.pick(ports()), random: random.next });
    const book = createLiveBook();
    const seen = { update: 0, snapshot: 0, reset: 0 };
    client.subscribe("book:btcidr", {
      onMessage(message) {
        expect(book.apply(message)).toBe(true);
        seen[message.type]++;
      },
    });
    return { client, book, seen, auditor: createBookAuditor(core.redis, "btcidr") };
  });
  for (let round = 0; round < 60; round++) {
    await orders.untilMore(40);
    for (const { client, book, auditor } of readers) {
      if (random.chance(0.3)) await auditor.compare(book);
      if (random.chance(0.2)) client.cut();
    }
    if (round % 15 !== 14) continue;
    const stopped = lives.splice(random.between(0, 1), 1)[0];
    await stopped?.stop();
    lives.push(await startLive({ url: core.server.url }));
  }
  await orders.stop();
  const last = Number(await core.redis.hget("v1:{t0}:offset", "sequence"));
  for (const { client, book, seen, auditor } of readers) {
    await until(() => (book.position()?.seq ?? 0) >= last - 20);
    await sleep(50);
    await auditor.compare(book);
    expect(auditor.comparisons()).toBeGreaterThan(3);
    expect(seen.update).toBeGreaterThan(5);
    expect(seen.snapshot).toBe(1);
    client.stop();
  }
  // Most disconnects are resumed without a new snapshot.
  expect(readers.reduce((sum, { seen }) => sum + seen.reset, 0)).toBeLessThan(20);
});
