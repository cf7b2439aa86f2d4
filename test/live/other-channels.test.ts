import { Redis } from "ioredis";
import { afterAll, expect, it } from "vitest";
import type { Changes } from "../../origin/engine/changes.ts";
import { readConnections } from "../../origin/live/connection-list.ts";
import { NO_POSITION, type Position, positionAfter } from "../../origin/market/positions/position.ts";
import { engineIs, startCore, until } from "../core/core.ts";
import { makeOrders } from "../core/make-orders.ts";
import { connectLive, startLive } from "./live-stack.ts";
import { keepJournal } from "./user-auditor.ts";

const core = await startCore();
await engineIs(core, "leader");
const live = await startLive({ url: core.server.url });
afterAll(() => live.stop());
const USER = "user-00000000-0000-4000-8000-000000000000";

it("keeps positions by the market's rule, lists the socket, and publishes for other programs", async () => {
  const listener = new Redis(core.server.url);
  const published: [string, string][] = [];
  await listener.subscribe("market:updates", `order:updates:${USER}`);
  listener.on("message", (channel: string, message: string) => void published.push([channel, message]));
  const client = connectLive({ port: () => live.port, user: USER, random: () => 0.5 });
  type Shown = { readonly pair: string; readonly trades: number; readonly realised: string };
  let shown: Shown | undefined;
  client.subscribe("positions", {
    onMessage({ data }) {
      shown =
        (data as { readonly positions: readonly Shown[] }).positions.find(({ pair }) => pair === "btcidr") ?? shown;
    },
  });
  const orders = makeOrders(core, 31);
  await until(
    () =>
      published.some(([channel]) => channel === "market:updates") &&
      published.some(([channel]) => channel !== "market:updates"),
  );
  await orders.untilMore(200);
  await orders.stop();
  const journal = new Map<number, Changes>();
  await keepJournal(core.redis, journal);
  const position = naivePosition([...journal.values()]);
  await until(() => shown?.trades === position.trades);
  // One step of rupiah is a hundredth.
  expect(Math.round(Number(shown?.realised) * 100)).toBe(Number(position.realised));
  expect(JSON.parse(published[0]?.[1] ?? "{}")).toMatchObject({
    type: expect.stringMatching(/^(market|order)_update$/),
  });
  await until(async () => (await readConnections(core.redis, USER)).length === 1);
  expect((await readConnections(core.redis, USER))[0]?.channels).toEqual(["positions"]);
  client.stop();
  listener.disconnect();
}, 60_000);

function naivePosition(all: readonly Changes[]): Position {
  let position = NO_POSITION;
  // A lot of the first pair is 1,000 steps.
  for (const trade of all.flatMap(({ trades }) => trades)) {
    const facts = { quantity: BigInt(trade.lots) * LOT_STEPS, value: trade.value };
    if (trade.buyUser === USER) position = positionAfter(position, { side: "buy", ...facts, fee: trade.buyFee });
    if (trade.sellUser === USER) position = positionAfter(position, { side: "sell", ...facts, fee: trade.sellFee });
  }
  return position;
}

const pairs = await core.redis.hgetall("v1:{t0}:pairs");
const LOT_STEPS = BigInt(JSON.parse(pairs["btcidr"] ?? "[]")[4] ?? 1_000);

it("shows the state of the venue and of an auction", async () => {
  const client = connectLive({ port: () => live.port, random: () => 0.5 });
  const seen = new Map<string, unknown>();
  for (const channel of ["system", "auction:btcidr", "prices", "summary"])
    client.subscribe(channel, { onMessage: (message) => void seen.set(message.channel, message.data) });
  await until(() => seen.size === 4);
  expect(seen.get("system")).toMatchObject({ maintenance: null });
  expect(seen.get("auction:btcidr")).toMatchObject({ pair: "btcidr", state: "none" });
  expect(seen.get("summary")).toMatchObject({ summaries: expect.any(Array) });
  client.stop();
});
