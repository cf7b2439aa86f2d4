import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { systemClock } from "../../shared/clock.ts";
import type { Progress } from "../progress/progress.ts";
import { createRecorder } from "../record/recorder.ts";
import type { RunRecord } from "../record/run-record.ts";
import { startTarget } from "../target/start-target.ts";
import type { Target } from "../target/target.ts";
import { judge } from "../verdict/judge.ts";
import type { AcknowledgedOrder } from "./acknowledged.ts";
import { askAgain } from "./ask-again.ts";
import { openDesk } from "./open-desk.ts";
import { runTrade } from "./run-trade.ts";
import type { TradeOptions } from "./trade-options.ts";

const START_MS_MAX = 240_000;
const SECONDS = IS_FULL_RUN ? 3 : 1;
const silent: Progress = { say: () => {}, show: () => {}, end: () => {} };
const options: TradeOptions = {
  actionsPerSecond: 100,
  seconds: SECONDS,
  traders: 4,
  mix: { place: 60, cancel: 20, market: 10, stop: 10 },
  pairs: ["btcidr", "ethusdt"],
  batch: 1,
  isDirect: false,
  seed: 1,
  shard: { index: 1, count: 1 },
};

let target: Target;
const run = (signal = new AbortController().signal) => ({ signal, progress: silent, clock: systemClock, target });

/** A machine that stalls for seconds answers some requests too late; every other promise must hold even then. */
const ERRORS = "errors for admitted visitors";
const brokenOf = (record: RunRecord) => judge(record).lines.filter(({ name, isMet }) => !isMet && name !== ERRORS);

beforeAll(async () => {
  const queue = { maxActive: 100, admissionRate: 1_000, admissionBurst: 1_000 };
  target = await startTarget({ edge: "node", queue, signal: new AbortController().signal, say: () => {} });
}, START_MS_MAX);
afterAll(() => target?.stop());

describe("trading through the gate", () => {
  it("loses no acknowledged order and no money", { timeout: START_MS_MAX }, async () => {
    const record = await runTrade(options, run());
    const verdict = judge(record);
    expect(brokenOf(record)).toEqual([]);
    expect(verdict.lines.map(({ name }) => name)).toEqual(
      expect.arrayContaining([ERRORS, "acknowledged orders lost", "audit: conservation", "audit: balances"]),
    );
    const { sent, acknowledged, rejected, unknown, trades, cancelled, asked } =
      record.orders ?? expect.fail("no order was placed");
    expect(acknowledged + rejected + unknown).toBe(sent);
    expect(asked).toBe(acknowledged);
    expect(acknowledged).toBeGreaterThan(30 * SECONDS);
    expect(trades).toBeGreaterThan(0);
    expect(cancelled).toBeGreaterThan(0);
    // One request with one answer for each order.
    const answers = Object.values(record.requests["order"]?.answers ?? {}).reduce((sum, count) => sum + count, 0);
    expect(answers).toBe(sent);
  });
});

const outage = () => {
  it("sends orders without an outcome again under the same name, and loses none", {
    timeout: START_MS_MAX,
  }, async () => {
    const { stack, parts } = target.own ?? expect.fail("the run has its own stack");
    const origin = parts.find(({ name }) => name === "origin") ?? expect.fail("a stack has an origin");
    let restarted: Promise<void> | undefined;
    const progress: Progress = {
      ...silent,
      show: (rows) => {
        if ((rows.find(({ label }) => label === "acknowledged")?.value ?? 0) > 20) restarted ??= stack.restart(origin);
      },
    };
    const record = await runTrade({ ...options, seconds: 3, actionsPerSecond: 30 }, { ...run(), progress });
    await restarted;
    const { sent, acknowledged, rejected, unknown } = record.orders ?? expect.fail("no order was placed");
    expect(acknowledged + rejected + unknown).toBe(sent);
    const retries = Object.values(record.requests["retry"]?.answers ?? {}).reduce((sum, count) => sum + count, 0);
    expect(retries).toBeGreaterThan(0);
    expect(brokenOf(record)).toEqual([]);
    // Orders of that time failed, and the verdict reports it.
    expect(judge(record).lines.find(({ name }) => name === ERRORS)?.isMet).toBe(false);
  });
};
if (IS_FULL_RUN) describe("trading while the venue is unavailable", outage);

describe("trading past the gate", () => {
  it("sends batches, and each order in them has its own outcome", { timeout: START_MS_MAX }, async () => {
    const record = await runTrade(
      { ...options, batch: 20, isDirect: true, mix: { place: 1, cancel: 0, market: 0, stop: 0 } },
      run(),
    );
    expect(brokenOf(record)).toEqual([]);
    const { sent, acknowledged, rejected, unknown } = record.orders ?? expect.fail("no order was placed");
    expect(acknowledged + rejected + unknown).toBe(sent);
    const batches = record.requests["batch"]?.answers["200"] ?? 0;
    expect(batches).toBeGreaterThan(0);
    expect(sent).toBe(batches * 20);
  });

  it("stops early when asked to, and still reads the acknowledged orders back", { timeout: START_MS_MAX }, async () => {
    const stopping = new AbortController();
    const progress: Progress = {
      ...silent,
      show: (rows) => (rows.find(({ label }) => label === "acknowledged")?.value ?? 0) > 20 && stopping.abort(),
    };
    const record = await runTrade({ ...options, seconds: 600, isDirect: true }, { ...run(stopping.signal), progress });
    expect(record.wasInterrupted).toBe(true);
    expect(brokenOf(record)).toEqual([]);
    expect(record.orders?.asked).toBeGreaterThan(20);
  });
});

describe("reading acknowledged orders back", () => {
  it("finds an order that is missing, of another user, another one, or filled less than acknowledged", {
    timeout: START_MS_MAX,
  }, async () => {
    const began = performance.now();
    const nowMs = () => performance.now() - began;
    const desk = await openDesk(
      { ...options, isDirect: true, mix: { place: 1, cancel: 0, market: 0, stop: 0 } },
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
