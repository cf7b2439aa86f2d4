import { afterAll, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import type { Changes } from "../../origin/engine/changes.ts";
import { engineIs, startCore, until } from "../core/core.ts";
import { makeOrders } from "../core/make-orders.ts";
import { connectLive, startLive } from "./live-stack.ts";
import { createReceived, expectExactlyOnce, keepJournal, type Received } from "./user-auditor.ts";

/** L2: private messages arrive exactly once and in order across reconnects and restarts. */

const core = await startCore();
await engineIs(core, "leader");
const lives = [await startLive({ url: core.server.url }), await startLive({ url: core.server.url })];
afterAll(() => Promise.all(lives.map((live) => live.stop())));

const USERS = 8;
const userAt = (index: number) => `user-${String(index).padStart(8, "0")}-0000-4000-8000-000000000000`;

it("delivers each fill, order change and balance exactly once, whatever is cut", async () => {
  const random = seededRandom(22);
  const journal = new Map<number, Changes>();
  const ports = (): [number, ...number[]] => [lives[0]?.port ?? 0, ...lives.slice(1).map(({ port }) => port)];
  const orders = makeOrders(core, 22);
  const readers = Array.from({ length: USERS }, (_, index) => {
    const user = userAt(index);
    const received = createReceived();
    const client = connectLive({ port: () => random.pick(ports()), user, random: random.next });
    for (const channel of ["orders", "balances", "trades"]) client.subscribe(channel, { onMessage: received.note });
    return { user, client, received };
  });
  for (let round = 0; round < 50; round++) {
    await orders.untilMore(40);
    await keepJournal(core.redis, journal);
    for (const { client } of readers) if (random.chance(0.2)) client.cut();
    if (round % 15 !== 14) continue;
    await lives.splice(random.between(0, 1), 1)[0]?.stop();
    lives.push(await startLive({ url: core.server.url }));
  }
  await orders.stop();
  await keepJournal(core.redis, journal);
  for (const { user, client, received } of readers) {
    await until(() => isUpToDate(journal, user, received));
    await expectExactlyOnce(core.redis, journal, { user, received });
    expect(received.messages.length).toBeGreaterThan(30);
    client.stop();
  }
});

/** Whether the user's last change of a balance has arrived, and with it everything before. */
function isUpToDate(journal: ReadonlyMap<number, Changes>, user: string, { messages }: Received): boolean {
  const last = [...journal].findLast(([, { balances }]) => balances.some((balance) => balance.user === user))?.[0] ?? 0;
  return messages.some(({ channel, seq }) => channel === "balances" && seq >= last);
}
