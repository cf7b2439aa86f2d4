import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { LIVE, READERS, startPart, startServing } from "../../load/bench/live/parts.ts";
import type { ChannelMessage, ServerMessage } from "../../shared/live/messages.ts";
import { deposit, engineIs, limitOrder, startCore, until } from "../core/core.ts";
import { startLive } from "./live-stack.ts";

const core = await startCore();
await engineIs(core, "leader");
const live = await startLive({ url: core.server.url });
afterAll(() => live.stop());
const USER = "slow-user";
await core.commit(deposit(USER, "idr", 10n ** 15n));

let placed = 0;

async function placeOrders(count: number): Promise<void> {
  const prices = Array.from({ length: count }, () => 1_000_000 + (placed++ % 900));
  const orders = prices.map((ticks) => limitOrder({ user: USER, side: "buy", ticks, lots: 1, openOrdersMax: 1e6 }));
  await Promise.all(orders.map(core.commit));
}

it("closes a reader that does not read its private messages, with the position to resume from", async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${live.port}/api/v1/ws?user=${USER}`, { perMessageDeflate: false });
  const messages: ServerMessage[] = [];
  socket.on("message", (data: Buffer) => void messages.push(JSON.parse(data.toString()) as ServerMessage));
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ type: "subscribe", channels: ["orders"] }));
  await until(() => messages.some((message) => "channel" in message));
  socket.pause();
  // More than the kernel's buffers and the hub's bound together.
  for (let round = 0; round < 50; round++) await placeOrders(600);
  await sleep(100);
  socket.resume();
  expect(await closed).toBe(4413);
  const last = messages.findLast((message) => "channel" in message) as ChannelMessage;
  const resume = { orders: { epoch: last.epoch, seq: last.seq } };
  expect(messages.at(-1)).toMatchObject({ type: "error", code: "slow_reader", resume });
}, 300_000);

type Taken = { readonly latencies: readonly number[] };

/** L3: 500 stalled readers among 5,000 do not change the latency of the others beyond noise. */
it("serves 4,500 readers as well with 500 stalled ones among them", async () => {
  const p95: number[] = [];
  for (const stalled of [0, 500]) {
    const environment = { VENUE_REDIS_URL: core.server.url };
    const server = await startServing({ file: LIVE, core: 1, environment });
    const readers = startPart({ file: READERS, core: 0 });
    const subscribe = JSON.stringify({ type: "subscribe", channels: ["book:btcidr"] });
    await readers.ask({ kind: "open", port: server.port, sockets: 5_000, subscribe, stalled });
    await sleep(2_000);
    await readers.ask<Taken>({ kind: "take" });
    for (let round = 0; round < 60; round++) {
      await placeOrders(50);
      await sleep(50);
    }
    const { latencies } = await readers.ask<Taken>({ kind: "take" });
    const sorted = latencies.toSorted((first, second) => first - second);
    expect(sorted.length).toBeGreaterThan(1_000);
    p95.push(sorted[Math.floor(sorted.length * 0.95)] ?? 0);
    await Promise.all([readers.stop(), server.stop()]);
  }
  const [without = 0, beside = 0] = p95;
  expect(beside, `p95 ${p95.join(" and ")} ms`).toBeLessThan(2 * without + 100);
}, 300_000);
