import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it } from "vitest";
import { WebSocket } from "ws";
import { createLiveBook } from "../../shared/live/live-book.ts";
import type { ChannelMessage, ServerMessage } from "../../shared/live/messages.ts";
import { deposit, engineIs, limitOrder, startCore, until } from "../core/core.ts";
import { createBookAuditor } from "./book-auditor.ts";
import { startLive } from "./live-stack.ts";

/** L3: a slow or hostile reader costs a bounded amount and slows no other reader. */

const core = await startCore();
await engineIs(core, "leader");
const live = await startLive({ url: core.server.url, settings: { SLUICE_SOCKETS_PER_ADDRESS: 30 } });
afterAll(() => live.stop());
const USER = "slow-user";
await core.commit(deposit(USER, "idr", 10n ** 15n));

async function open(query = ""): Promise<{ socket: WebSocket; messages: ServerMessage[]; closed: Promise<number> }> {
  const socket = new WebSocket(`ws://127.0.0.1:${live.port}/api/v1/ws${query}`, { perMessageDeflate: false });
  const messages: ServerMessage[] = [];
  socket.on("message", (data: Buffer) => void messages.push(JSON.parse(data.toString()) as ServerMessage));
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  await new Promise((resolve) => socket.once("open", resolve));
  return { socket, messages, closed };
}

let placed = 0;

/** Each has its own price, so the book's snapshot and updates grow. */
async function placeOrders(count: number): Promise<void> {
  const ticks = Array.from({ length: count }, () => 1_000_000 + (placed++ % 900));
  await Promise.all(
    ticks.map((price) =>
      core.commit(limitOrder({ user: USER, side: "buy", ticks: price, lots: 1, openOrdersMax: 1e6 })),
    ),
  );
}

it("collapses the book of a reader that stops reading, and shows it the newest state afterwards", async () => {
  const stalled = await open();
  const reader = await open();
  for (const { socket } of [stalled, reader])
    socket.send(JSON.stringify({ type: "subscribe", channels: ["book:btcidr"] }));
  await until(() => stalled.messages.length >= 2 && reader.messages.length >= 2);
  stalled.socket.pause();
  for (let round = 0; round < 12; round++) {
    await placeOrders(800);
    await sleep(10);
  }
  await sleep(50);
  const seen = stalled.messages.length;
  stalled.socket.resume();
  const auditor = createBookAuditor(core.redis, "btcidr");
  for (const one of [stalled, reader]) {
    const book = createLiveBook();
    const last = Number(await core.redis.hget("v1:{t0}:offset", "sequence"));
    await until(() => one.messages.some((message) => "seq" in message && "channel" in message && message.seq >= last));
    for (const message of one.messages)
      if ("channel" in message) expect(book.apply(message as ChannelMessage)).toBe(true);
    await auditor.compare(book);
  }
  expect(auditor.comparisons()).toBe(2);
  expect(stalled.messages.length - seen).toBeLessThan(reader.messages.length);
  stalled.socket.terminate();
  reader.socket.terminate();
});

it("limits the sockets of an address", async () => {
  const sockets = await Promise.all(Array.from({ length: 30 }, () => open()));
  const refused = new WebSocket(`ws://127.0.0.1:${live.port}/api/v1/ws`);
  refused.on("error", () => {});
  const status = new Promise((resolve) =>
    refused.on("unexpected-response", (_request, response) => resolve(response.statusCode)),
  );
  expect(await status).toBe(429);
  for (const { socket } of sockets) socket.terminate();
});
