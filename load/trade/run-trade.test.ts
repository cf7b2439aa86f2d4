import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../shared/clock.ts";
import type { Progress } from "../progress/progress.ts";
import { createRecorder } from "../record/recorder.ts";
import { startTarget } from "../target/start-target.ts";
import type { Target } from "../target/target.ts";
import { judge } from "../verdict/judge.ts";
import type { AcknowledgedOrder } from "./acknowledged.ts";
import { askAgain } from "./ask-again.ts";
import { openDesk } from "./open-desk.ts";
import { runTrade } from "./run-trade.ts";
import type { TradeOptions } from "./trade-options.ts";

const START_MS_MAX = 240_000;
const silent: Progress = { say: () => {}, show: () => {}, end: () => {} };
const options: TradeOptions = {
  ordersPerSecond: 100,
  seconds: 3,
  traders: 4,
  mix: { place: 70, cancel: 20, market: 10 },
  pairs: ["btcidr", "ethusdt"],
  batch: 1,
  isDirect: false,
  seed: 1,
  shard: { index: 1, count: 1 },
};

let target: Target;
const run = (signal = new AbortController().signal) => ({ signal, progress: silent, clock: systemClock, target });

beforeAll(async () => {
  const queue = { maxActive: 100, admissionRate: 1_000, admissionBurst: 1_000 };
  target = await startTarget({ edge: "node", queue, signal: new AbortController().signal, say: () => {} });
}, START_MS_MAX);
afterAll(() => target?.stop());

describe("trading through the gate", () => {
  it("loses no acknowledged order and no money, and says so", { timeout: START_MS_MAX }, async () => {
    const record = await runTrade(options, run());
    const verdict = judge(record);
    expect(verdict.lines.filter(({ isMet }) => !isMet)).toEqual([]);
    expect(verdict.lines.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["errors for admitted visitors", "acknowledged orders lost", "audit: conservation", "audit: balances"]),
    );
    const { sent, acknowledged, rejected, unknown, trades, cancelled, asked } = record.orders ?? expect.fail("nobody traded");
    expect(acknowledged + rejected + unknown).toBe(sent);
    expect(asked).toBe(acknowledged);
    expect(acknowledged).toBeGreaterThan(100);
    expect(trades).toBeGreaterThan(0);
    expect(cancelled).toBeGreaterThan(0);
    // Every order and every cancellation is one request with one answer, and nothing else is counted.
    const answers = Object.values(record.requests["order"]?.answers ?? {}).reduce((sum, count) => sum + count, 0);
    expect(answers).toBe(sent);
  });
});

describe("trading past the gate", () => {
  it("sends batches, each order of which has an end of its own", { timeout: START_MS_MAX }, async () => {
    const record = await runTrade({ ...options, batch: 20, isDirect: true, mix: { place: 1, cancel: 0, market: 0 } }, run());
    expect(judge(record).lines.filter(({ isMet }) => !isMet)).toEqual([]);
    const { sent, acknowledged, rejected, unknown } = record.orders ?? expect.fail("nobody traded");
    expect(acknowledged + rejected + unknown).toBe(sent);
    const batches = record.requests["batch"]?.answers["200"] ?? 0;
    expect(batches).toBeGreaterThan(0);
    expect(sent).toBe(batches * 20);
  });

  it("ends when it is told to, and still asks for what was acknowledged", { timeout: START_MS_MAX }, async () => {
    const stopping = new AbortController();
    const progress: Progress = {
      ...silent,
      show: (rows) => (rows.find(({ label }) => label === "acknowledged")?.value ?? 0) > 20 && stopping.abort(),
    };
    const record = await runTrade({ ...options, seconds: 600, isDirect: true }, { ...run(stopping.signal), progress });
    expect(record.wasInterrupted).toBe(true);
    expect(judge(record).lines.filter(({ isMet }) => !isMet)).toEqual([]);
    expect(record.orders?.asked).toBeGreaterThan(20);
  });
});

describe("asking for acknowledged orders", () => {
  it("notices each order that the venue forgot, gave away, mixed up or took back", { timeout: START_MS_MAX }, async () => {
    const began = performance.now();
    const nowMs = () => performance.now() - began;
    const desk = await openDesk(
      { ...options, isDirect: true, mix: { place: 1, cancel: 0, market: 0 } },
      { ...run(), recorder: createRecorder(), nowMs, folder: undefined },
    );
    try {
      const [one] = desk.people;
      for (let order = 0; order < 10; order++) await desk.floor.act(one, nowMs()).done;
      const known = desk.acknowledged.remembered();
      const [first] = known;
      const ask = (orders: readonly AcknowledgedOrder[]) =>
        askAgain({ orders, personOf: (trader) => desk.people[trader] ?? one, call: desk.call, nowMs });
      expect(await ask(known)).toEqual({ asked: known.length, lost: 0, unanswered: 0 });
      const order = first ?? expect.fail("nothing was acknowledged");
      const lies: readonly AcknowledgedOrder[] = [
        { ...order, id: "999999999" },
        { ...order, trader: 1 },
        { ...order, clientOrderId: "another" },
        { ...order, filledQuantity: "1000000" },
      ];
      expect(await ask([...known, ...lies])).toMatchObject({ lost: lies.length });
    } finally {
      desk.close();
    }
  });
});
