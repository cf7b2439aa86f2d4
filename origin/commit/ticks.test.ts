import { expect, it } from "vitest";
import type { CommandBody, ListOrder, PlaceList } from "../engine/command.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { START } from "../journal/journal.ts";
import { changesFrom, commandsIn } from "../journal/journal-body.ts";
import { applyBatch, type Batch } from "./commit.ts";
import { firstCommands } from "./first-terms.ts";
import { createTicks } from "./ticks.ts";

const NODE = "abcdefghijklmnopqrstuv";
const AT = 1_790_000_000_000;
const BOUNDS = { openOrdersMax: 1_000, workMax: 2 };
const NONE = { trailingBps: 0, expiresAt: 0, targetProfitPpm: 0, stopLossPpm: 0 };

/** A cascade of stops and a pair of orders, in as many entries as its parts take. */
function runCascade(engine: Engine): readonly Batch[] {
  const batches: Batch[] = [];
  const commit = (shift: Parameters<typeof applyBatch>[1]) => {
    const batch = applyBatch(engine, shift, { node: NODE, epoch: 1, before: batches.at(-1)?.entry ?? START });
    if (batch !== undefined) batches.push(batch);
  };
  const first = [...firstCommands(AT)];
  commit(() => first.shift());
  const head = {
    kind: "place",
    pair: "btcusdt",
    grid: 1,
    quoteAmount: 0n,
    postOnly: false,
    clientOrderId: "",
  } as const;
  const order = { ...head, selfTrade: "cancelNewest", openOrdersMax: 100 } as const;
  const limit = { ...order, type: "limit", timeInForce: "GTC", lots: 10_000 } as const;
  const deposits = ["ann", "bob"].flatMap((user) =>
    ["btc", "usdt"].map(
      (currency) => ({ kind: "deposit", user, currency, amount: 10n ** 17n, reference: "" }) as const,
    ),
  );
  const stop = {
    ...order,
    user: "ann",
    side: "sell",
    type: "stop",
    timeInForce: "IOC",
    ticks: 0,
    lots: 10_000,
  } as const;
  const sell = { ...limit, user: "ann", side: "sell", ticks: 9_000 } as const;
  const {
    kind: _kind,
    user: _user,
    pair,
    grid,
    openOrdersMax,
    ...leg
  } = { ...stop, conditions: { ...NONE, stopTicks: 9_997 } };
  const target: ListOrder = { ...leg, type: "limit", ticks: 10_500, timeInForce: "GTC", conditions: undefined };
  const oco: PlaceList = {
    kind: "placeList",
    ...{ user: "ann", pair, grid, openOrdersMax, clientListId: "" },
    list: "oco",
    orders: [target, leg],
  };
  const bodies: readonly CommandBody[] = [
    ...deposits,
    ...[10_000, 9_999, 9_998, 9_997, 9_996, 9_995, 9_994].map(
      (ticks) => ({ ...limit, user: "bob", side: "buy", ticks }) as const,
    ),
    sell,
    ...[9_999, 9_998, 9_996].map((stopTicks) => ({ ...stop, conditions: { ...NONE, stopTicks } })),
    oco,
    sell,
  ];
  for (const [number, body] of bodies.entries()) {
    const turn = { commands: [], waitingCount: 0, timer: undefined };
    const queued = [{ number: number + 1, at: AT, body, commandId: "", isAnswered: false, settle: () => {}, turn }];
    commit(() => queued.shift());
  }
  const { isDue, shift } = createTicks(engine, () => AT);
  for (let parts = 0; isDue() && parts < 100; parts++) {
    const one = [shift()];
    commit(() => one.shift());
  }
  return batches;
}

it("continues a cascade at every entry, whichever engine reads the journal: nothing is lost and nothing runs twice", () => {
  const engine = createEngine(BOUNDS);
  const batches = runCascade(engine);
  const trades = batches.flatMap(({ changes }) => changes.trades.map(({ id }) => id));
  expect(trades).toEqual([1, 2, 3, 4, 5, 6]);
  expect(
    batches.filter(({ changes }) => changes.pairs.some(({ waves }) => waves !== undefined)).length,
  ).toBeGreaterThan(1);
  for (let read = 1; read <= batches.length; read++) {
    const next = createEngine(BOUNDS);
    for (const { entry } of batches.slice(0, read)) next.absorb(changesFrom(entry.body));
    expect(next.verify()).toEqual([]);
    for (const { entry, changes } of batches.slice(read)) {
      for (const command of commandsIn(entry) ?? []) next.apply(command);
      expect(next.takeChanges().trades).toEqual(changes.trades);
    }
    expect(next.stateHash()).toBe(engine.stateHash());
  }
});
