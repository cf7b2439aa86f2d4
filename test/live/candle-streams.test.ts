import { afterAll, expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import type { Changes, TradeRow } from "../../origin/engine/changes.ts";
import { engineIs, startCore, until } from "../core/core.ts";
import { makeOrders } from "../core/make-orders.ts";
import { connectLive, startLive } from "./live-stack.ts";
import { keepJournal } from "./user-auditor.ts";

const core = await startCore();
await engineIs(core, "leader");
const lives = [await startLive({ url: core.server.url })];
afterAll(() => Promise.all(lives.map((live) => live.stop())));

type Candle = { readonly openTime: number; readonly trades: number; readonly volume: string; readonly close: string };
type Summary = { readonly tradeCount: number; readonly lastPrice: string; readonly bestBid: string };

it("sends the bars and the summary that the journal's trades lead to, whatever is cut", async () => {
  const random = seededRandom(23);
  const orders = makeOrders(core, 23);
  const client = connectLive({ port: () => lives[0]?.port ?? 0, random: random.next });
  const bars = new Map<number, Candle>();
  let summary: Summary | undefined;
  client.subscribe("candles:btcidr:1s", {
    onMessage({ type, data }) {
      // A reset replaces messages that are gone: older bars are read again from `GET /market/{pair}/candles`.
      if (type !== "update") bars.clear();
      for (const candle of (data as { readonly candles: readonly Candle[] }).candles) {
        bars.set(candle.openTime, candle);
      }
    },
  });
  client.subscribe("summary:btcidr", {
    onMessage({ data }) {
      summary = data as Summary;
    },
  });
  const journal = new Map<number, Changes>();
  for (let round = 0; round < 30; round++) {
    await orders.untilMore(60);
    await keepJournal(core.redis, journal);
    if (random.chance(0.2)) client.cut();
    if (round !== 15) continue;
    await lives.pop()?.stop();
    lives.push(await startLive({ url: core.server.url }));
  }
  await orders.stop();
  await keepJournal(core.redis, journal);
  const trades = [...journal.values()].flatMap((changes) => changes.trades);
  await until(() => summary?.tradeCount === trades.length);
  const naive = naiveSeconds(trades);
  const last = [...naive.keys()].at(-1) ?? 0;
  await until(() => bars.get(last)?.trades === naive.get(last)?.length);
  const first = Math.min(...bars.keys());
  for (const [openTime, ofBar] of naive)
    if (openTime >= first) expect([openTime, bars.get(openTime)?.trades]).toEqual([openTime, ofBar.length]);
  expect(Number(summary?.lastPrice)).toBeGreaterThan(0);
  client.stop();
});

function naiveSeconds(trades: readonly TradeRow[]): ReadonlyMap<number, readonly TradeRow[]> {
  return Map.groupBy(trades, ({ at }) => at - (at % 1_000));
}
