import { expect, it } from "vitest";
import { applyBatch } from "../commit/commit.ts";
import { firstCommands } from "../commit/first-terms.ts";
import { NO_AUCTION } from "../engine/auction/auction.ts";
import type { Changes, ConditionRow, ListRow, OrderRow, PairRow } from "../engine/changes.ts";
import type { PlaceOrder } from "../engine/command.ts";
import { createEngine } from "../engine/engine.ts";
import { START } from "./journal.ts";
import {
  type AppliedCommand,
  bodyTime,
  changesFrom,
  commandsIn,
  journalBody,
  moneyChangesFrom,
  noncesIn,
  resultCount,
  resultIn,
} from "./journal-body.ts";

/** As version 1 wrote it: a sell order of bob that meets a buy order of ann, and a command that was rejected. */
const FORMAT_1 =
  '[1750000000005,3,2,[[1,"ann","btcidr",1,"buy","limit","GTC",0,1000,100,0,40,400,1,"partiallyFilled","","mine",1750000000001,1750000000005],' +
  '[2,"bob","btcidr",1,"sell","limit","IOC",0,1000,40,0,40,"9007199254740993",0,"filled","","",1750000000005,1750000000005]],' +
  '[[1,"btcidr",1,1750000000005,1000,40,400,"sell",1,2,"ann","bob",1,0]],[["ann","idr",5,6]],' +
  '[["deposit","1749999999999-0-3",1749999999999,"","ann","idr",11,"first"]],[["idr",2,11]],[],[["cid",1]],' +
  '[["order","ann","mine","00ff",1,1750000000001]],[["1750000000004-0",2,[2,["x","cid","user_frozen"]]]]]';

it("reads a body of format 1", () => {
  const changes = changesFrom(FORMAT_1);
  expect(changes).toMatchObject({ at: 1_750_000_000_005, nextOrderId: 3, nextTradeId: 2, nonces: [] });
  expect(changes.orders.map(({ id, filledValue }) => [id, filledValue])).toEqual([
    [1, 400n],
    [2, 9_007_199_254_740_993n],
  ]);
  expect(changes.users).toEqual([{ user: "cid", isFrozen: true }]);
  expect(changes.references).toMatchObject([{ kind: "order", user: "ann", reference: "mine", orderId: 1 }]);
  expect(moneyChangesFrom(FORMAT_1)).toMatchObject({
    trades: [{ id: 1, lots: 40 }],
    movements: [{ amount: 11n }],
    currencies: [{ supply: 11n }],
  });
  expect([bodyTime(FORMAT_1), resultCount(FORMAT_1), noncesIn(FORMAT_1)]).toEqual([1_750_000_000_005, 2, []]);
  expect(commandsIn({ body: FORMAT_1, sequence: 7 })).toBeUndefined();
  const entryId = "1750000000004-0";
  expect(resultIn(FORMAT_1, { entryId, index: 2 })).toMatchObject({
    user: "bob",
    outcome: { order: { id: 2 }, trades: [{ id: 1 }] },
  });
  expect(resultIn(FORMAT_1, { entryId, index: 3 })).toEqual({
    user: "cid",
    outcome: { kind: "rejected", code: "user_frozen" },
  });
  expect(resultIn(FORMAT_1, { entryId, index: 4 })).toBeUndefined();
});

it("reads a body of format 2, which has no lists and only plain orders", () => {
  const commands =
    '[["p",1750000000005,"bob","btcidr",1,"sell","limit",1000,40,0,"IOC",0,"cancelNewest","",100],["su",1,"cid",1]]';
  const body = `[2,${FORMAT_1.slice(1, -1)},${commands}]`;
  expect({ ...changesFrom(body), nonces: [] }).toEqual(changesFrom(FORMAT_1));
  expect([bodyTime(body), resultCount(body)]).toEqual([1_750_000_000_005, 2]);
  expect(commandsIn({ body, sequence: 7 })).toMatchObject([{ kind: "place", lots: 40 }, { kind: "setUser" }]);
  expect(resultIn(body, { entryId: "1750000000004-0", index: 2 })).toMatchObject({
    user: "bob",
    outcome: { order: { id: 2 }, trades: [{ id: 1 }] },
  });
});

it("keeps conditions, lists, waves and switches, and names the trades of an order that runs later", () => {
  const plain = changesFrom(FORMAT_1);
  const [ann, bob] = plain.orders as readonly [OrderRow, OrderRow];
  const conditions: ConditionRow = {
    ...{ phase: "tracking", stopTicks: 900, trailingBps: 250, extremeTicks: 1_010, triggeredAt: 0, expiresAt: 5 },
    ...{
      selfTrade: "decrement",
      priority: 9,
      reserved: 2n ** 60n,
      listId: 7,
      role: "below",
      buyOrderId: 1,
      sellOrderId: 2,
    },
    ...{ targetProfitPpm: 50_000, stopLossPpm: 30_000, originalLots: 60, preventedLots: 4 },
  };
  const list: ListRow = {
    ...{ id: 7, user: "bob", pair: "btcidr", kind: "oco", clientListId: "l", orderIds: [2, 3], status: "active" },
    ...{
      reserved: 11n,
      dueAs: 12,
      targetProfitPpm: 0,
      stopLossPpm: 0,
      boughtLots: 3,
      boughtValue: 9n,
      createdAt: 1,
      updatedAt: 2,
    },
  };
  const terms = {
    pair: "btcidr",
    baseCurrency: "btc",
    quoteCurrency: "idr",
    tickSteps: 1n,
    lotSteps: 1n,
    valueStepsMin: 0n,
  };
  const pair: PairRow = {
    ...{ ...terms, makerFeePpm: 0, takerFeePpm: 0, bandPpm: 0, version: 1, grid: 1, lastTicks: 5 },
    ...{ state: "auction", opensAt: 1_790_000_000_000, freezeMs: 60_000 },
    auction: { ...NO_AUCTION, number: 3, phase: "filling", ticks: 7, lots: 2n ** 60n },
    waves: [{ as: 4, isRising: true, fromTicks: 10, toTicks: 12, before: 4 }],
  };
  const stop: OrderRow = { ...bob, status: "pending", type: "stop", conditions };
  const changes: Changes = {
    ...{ ...plain, orders: [ann, stop], lists: [list], pairs: [pair] },
    users: [{ user: "cid", isFrozen: false, cancelAt: 77 }],
  };
  const head = { id: "9-0-0", at: 1, nonce: undefined };
  const order: PlaceOrder = {
    ...{
      kind: "place",
      user: "bob",
      pair: "btcidr",
      grid: 1,
      side: "sell",
      type: "stop",
      ticks: 0,
      lots: 40,
      quoteAmount: 0n,
    },
    ...{ timeInForce: "GTC", postOnly: false, selfTrade: "none", clientOrderId: "", openOrdersMax: 9 },
    conditions: { stopTicks: 900, trailingBps: 250, expiresAt: 5, targetProfitPpm: 0, stopLossPpm: 0 },
  };
  const { kind: _kind, user: _user, pair: _pair, grid: _grid, openOrdersMax: _max, ...leg } = order;
  const results: readonly AppliedCommand[] = [
    { user: "bob", command: { ...head, ...order }, outcome: { kind: "order", order: stop, trades: [] } },
    {
      user: "bob",
      command: { ...head, kind: "replace", user: "bob", orderId: 1, clientOrderId: "", onFailure: "continue", order },
      outcome: { kind: "replaced", cancelled: "order_not_open", placed: stop, trades: plain.trades },
    },
    {
      user: "bob",
      command: {
        ...{ ...head, kind: "placeList", user: "bob", pair: "btcidr", grid: 1, list: "oco", clientListId: "l" },
        ...{ openOrdersMax: 9, orders: [leg, leg] },
      },
      outcome: { kind: "list", list, orders: [ann, stop], trades: [] },
    },
    {
      user: "bob",
      command: { ...head, kind: "cancelAfter", user: "bob", afterMs: 60 },
      outcome: { kind: "cancelAfter", cancelAt: 77 },
    },
    {
      user: "bob",
      command: { ...head, kind: "amend", user: "bob", orderId: 2, clientOrderId: "", lots: 3 },
      outcome: { kind: "order", order: stop, trades: [] },
    },
    {
      user: "bob",
      command: { ...head, kind: "cancelList", user: "bob", listId: 7, clientListId: "" },
      outcome: { kind: "cancelled", orders: [stop], hasMore: false },
    },
    { user: "", command: { ...head, kind: "tick" }, outcome: { kind: "done" } },
  ];
  const body = journalBody(changes, [{ entryId: "9-0", firstIndex: 0, results }]);
  expect(changesFrom(body)).toEqual(changes);
  expect(commandsIn({ body, sequence: 1 })).toEqual(
    results.map(({ command }, index) => ({ ...command, id: `9-0-${index}` })),
  );
  for (const [index, { user, outcome }] of results.entries())
    expect(resultIn(body, { entryId: "9-0", index })).toEqual({ user, outcome });
});

it("refuses a body of another format or one that is cut", () => {
  for (const body of [
    "[3,1]",
    "[2,1]",
    "{}",
    FORMAT_1.replace("[1750000000005,", "[3,1750000000005,"),
    `[2,${FORMAT_1.slice(1)}`,
  ]) {
    expect(() => changesFrom(body)).toThrow("a journal entry");
  }
});

it("holds the commands of a batch as they were applied, those of this process and of the stream, rejected ones too", () => {
  const engine = createEngine();
  const first = [...firstCommands(1)];
  const begun = applyBatch(engine, () => first.shift(), { node: NODE, epoch: 1, before: START });
  const nonce = { id: "abc", until: 1_750_000_005_000 };
  const body = { kind: "deposit", user: "ann", currency: "idr", amount: 2n ** 60n, reference: "r" } as const;
  const local = (number: number, more = {}) => ({
    ...{
      number,
      at: 1_750_000_000_000,
      commandId: "",
      isAnswered: false,
      settle: () => {},
      turn: { commands: [], waitingCount: 0, timer: undefined },
    },
    body: { ...body, ...more },
  });
  const command = { id: "9-0-4", at: 1_750_000_000_001, kind: "cancelAll", user: "bob", pair: "nope" } as const;
  const queued = [
    local(5, { nonce }),
    local(6),
    { entryId: "9-0", index: 4, node: "x", append: 3, command },
    local(8, { nonce }),
  ];
  const batch = applyBatch(engine, () => queued.shift(), { node: NODE, epoch: 4, before: begun?.entry ?? START });
  const entry = batch?.entry ?? { body: "", sequence: 0, command: "" };
  expect(entry.command).toBe("9-0-4");
  expect(commandsIn(entry)).toEqual([
    { ...body, nonce, at: 1_750_000_000_000, id: `4.2.${NODE}.5` },
    { ...body, nonce: undefined, at: 1_750_000_000_000, id: `4.2.${NODE}.6` },
    { ...command, nonce: undefined },
    { ...body, nonce, at: 1_750_000_000_000, id: `4.2.${NODE}.8` },
  ]);
  const results = [5, 6, 7, 8].map(
    (number) => resultIn(entry.body, { epoch: 4, sequence: 2, node: NODE, number })?.outcome,
  );
  const replayed = { kind: "rejected", code: "request_replayed" };
  expect(results).toEqual([{ kind: "done" }, { kind: "repetition", orderId: 0 }, undefined, replayed]);
  expect(resultIn(entry.body, { entryId: "9-0", index: 4 })?.outcome).toEqual({
    kind: "rejected",
    code: "pair_unknown",
  });
  expect(resultIn(entry.body, { epoch: 4, sequence: 2, node: NODE.toUpperCase(), number: 5 })).toBeUndefined();
  expect(new Set(noncesIn(entry.body).map(({ id }) => id))).toEqual(new Set(["abc"]));
});

const NODE = "abcdefghijklmnopqrstuv";
