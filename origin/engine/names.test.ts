import { describe, expect, it } from "vitest";
import { openDesk, rejected } from "../../kit/engine/desk.ts";
import { createEngine } from "./engine.ts";

const DAY_MS = 86_400_000;

describe("a client order id", () => {
  it("executes an order once: the same again is a repetition, also when the order is closed or could no longer be placed", () => {
    const desk = openDesk();
    const order = { ticks: 100, lots: 1, clientOrderId: "mine" };
    const { id } = desk.placed("ann", "sell", order);
    expect(desk.place("ann", "sell", order)).toEqual({ kind: "repetition", orderId: id });
    desk.cancel("ann", id);
    desk.configure({ state: "halted" });
    expect(desk.place("ann", "sell", order)).toEqual({ kind: "repetition", orderId: id });
  });

  it("refuses other content, and does not affect other users", () => {
    const desk = openDesk();
    desk.placed("ann", "sell", { ticks: 100, lots: 1, clientOrderId: "mine" });
    expect(desk.place("ann", "sell", { ticks: 100, lots: 2, clientOrderId: "mine" })).toEqual(
      rejected("client_order_id_reused"),
    );
    expect(desk.placed("cid", "sell", { ticks: 100, lots: 2, clientOrderId: "mine" })).toMatchObject({
      status: "open",
    });
  });

  it("is free again after 24 hours, to the millisecond", () => {
    const desk = openDesk();
    const order = { ticks: 100, lots: 1, clientOrderId: "mine" };
    const { id } = desk.placed("ann", "sell", order);
    desk.cancel("ann", id);
    desk.wait(DAY_MS - 1);
    expect(desk.place("ann", "sell", order)).toEqual({ kind: "repetition", orderId: id });
    desk.wait(1);
    expect(desk.placed("ann", "sell", order).id).toBe(id + 1);
  });

  it("stays with an order that is open for longer", () => {
    const desk = openDesk();
    const order = { ticks: 100, lots: 1, clientOrderId: "mine" };
    const { id } = desk.placed("ann", "sell", order);
    desk.wait(3 * DAY_MS);
    expect(desk.place("ann", "sell", order)).toEqual(rejected("client_order_id_reused"));
    const cancelled = desk.apply({ kind: "cancel", user: "ann", orderId: 0, clientOrderId: "mine" });
    expect(cancelled).toMatchObject({ kind: "cancelled", orders: [{ id }] });
    expect(desk.placed("ann", "sell", order).id).toBe(id + 1);
  });

  it("is not remembered for an order that was refused", () => {
    const desk = openDesk();
    expect(desk.place("ann", "sell", { ticks: 100, lots: 2 ** 40, clientOrderId: "mine" })).toEqual(
      rejected("balance_insufficient"),
    );
    expect(desk.placed("ann", "sell", { ticks: 100, lots: 1, clientOrderId: "mine" })).toMatchObject({
      status: "open",
    });
  });

  it("may be any text, also a property name of JavaScript objects", () => {
    const desk = openDesk();
    for (const clientOrderId of ["__proto__", "constructor", "toString"]) {
      expect(desk.placed("ann", "sell", { ticks: 100, lots: 1, clientOrderId })).toMatchObject({ clientOrderId });
    }
  });
});

describe("a reference", () => {
  it("moves money once, and names of one kind do not affect another", () => {
    const desk = openDesk();
    const before = desk.available("ann", "idr");
    const move = { user: "ann", currency: "idr", amount: 5n, reference: "r" } as const;
    expect(desk.apply({ kind: "deposit", ...move })).toEqual({ kind: "done" });
    expect(desk.apply({ kind: "deposit", ...move })).toEqual({ kind: "repetition", orderId: 0 });
    expect(desk.apply({ kind: "deposit", ...move, amount: 6n })).toEqual(rejected("reference_reused"));
    expect(desk.apply({ kind: "withdraw", ...move, amount: 1n })).toEqual({ kind: "done" });
    expect(desk.available("ann", "idr")).toBe(before + 4n);
  });

  it("is refused to a user at the bound of names, and to no other user", () => {
    const desk = openDesk({ bounds: { namesPerUserMax: 2 } });
    const deposit = (user: string, reference: string) =>
      desk.apply({ kind: "deposit", user, currency: "idr", amount: 1n, reference });
    expect(deposit("ann", "a")).toEqual({ kind: "done" });
    expect(desk.placed("ann", "sell", { ticks: 100, lots: 1, clientOrderId: "a" })).toMatchObject({ status: "open" });
    expect(deposit("ann", "b")).toEqual(rejected("engine_full"));
    expect(desk.place("ann", "sell", { ticks: 100, lots: 1, clientOrderId: "b" })).toEqual(rejected("engine_full"));
    expect(deposit("ann", "a")).toEqual({ kind: "repetition", orderId: 0 });
    expect(deposit("ann", "")).toEqual({ kind: "done" });
    expect(deposit("bob", "b")).toEqual({ kind: "done" });
    expect(desk.placed("bob", "sell", { ticks: 100, lots: 1, clientOrderId: "b" })).toMatchObject({ status: "open" });
    desk.wait(DAY_MS + 3_600_000);
    expect(deposit("ann", "b")).toEqual({ kind: "done" });
  });
});

describe("freezing a user", () => {
  it("stops orders and withdrawals, and allows cancels and deposits", () => {
    const desk = openDesk();
    const { id } = desk.placed("ann", "sell", { ticks: 100, lots: 1 });
    desk.apply({ kind: "setUser", user: "ann", isFrozen: true });
    const move = { currency: "idr", amount: 1n, reference: "" } as const;
    expect(desk.place("ann", "sell", { ticks: 100, lots: 1 })).toEqual(rejected("user_frozen"));
    expect(desk.apply({ kind: "withdraw", user: "ann", ...move })).toEqual(rejected("user_frozen"));
    expect(desk.apply({ kind: "transfer", from: "ann", to: "bob", ...move })).toEqual(rejected("user_frozen"));
    expect(desk.apply({ kind: "transfer", from: "bob", to: "ann", ...move })).toEqual({ kind: "done" });
    expect(desk.apply({ kind: "deposit", user: "ann", ...move })).toEqual({ kind: "done" });
    expect(desk.cancel("ann", id)).toMatchObject({ kind: "cancelled" });
    desk.apply({ kind: "setUser", user: "ann", isFrozen: false });
    expect(desk.placed("ann", "sell", { ticks: 100, lots: 1 })).toMatchObject({ status: "open" });
  });
});

it("creates no money by a transfer without a name", () => {
  const desk = openDesk();
  const move = { currency: "idr", amount: 1n, reference: "" } as const;
  expect(desk.apply({ kind: "transfer", from: "", to: "ann", ...move })).toEqual(rejected("command_invalid"));
  expect(desk.apply({ kind: "transfer", from: "ann", to: "", ...move })).toEqual(rejected("command_invalid"));
});

describe("verify", () => {
  it("names each contradiction in a sentence", () => {
    const { engine, placed } = openDesk();
    placed("ann", "sell", { ticks: 100, lots: 1 });
    const copy = createEngine({ openOrdersMax: 10 });
    const empty = {
      at: 0,
      nextOrderId: 1,
      nextTradeId: 1,
      orders: [],
      trades: [],
      movements: [],
      pairs: [],
      users: [],
      references: [],
    };
    copy.absorb({ ...empty, currencies: [{ currency: "idr", scale: 0, supply: 5n }], balances: [] });
    expect(copy.verify()).toEqual(["all balances of idr together are 0, and 5 came in and did not go out"]);
    copy.absorb({ ...empty, currencies: [], balances: [{ user: "ann", currency: "idr", available: 4n, frozen: 1n }] });
    expect(copy.verify()).toEqual(["ann's idr: 1 is frozen, open orders reserve 0"]);
    expect(engine.verify()).toEqual([]);
  });
});

describe("a name that has left memory", () => {
  const order = { ticks: 100, lots: 1, clientOrderId: "mine" };

  function evictedDesk() {
    const desk = openDesk();
    const { id } = desk.placed("ann", "sell", order);
    const [row] = desk.engine.takeChanges().references;
    desk.engine.names.evict({ upTo: 1, keep: 0 });
    const command = {
      id: "1-1-0",
      at: row?.at ?? 0,
      kind: "cancel",
      user: "ann",
      orderId: 0,
      clientOrderId: "mine",
    } as const;
    return { ...desk, id, row, command };
  }

  it("must be fetched before its command is applied, or the engine stops", () => {
    const { engine, cancel, id, command, place } = evictedDesk();
    cancel("ann", id);
    expect(engine.names.unanswered(command, command.at)).toEqual([{ kind: "order", user: "ann", name: "mine" }]);
    expect(() => place("ann", "sell", order)).toThrow("the store is asked about a name before its command is applied");
  });

  it("has its content again once the store has answered", () => {
    const { engine, cancel, id, row, command, place } = evictedDesk();
    cancel("ann", id);
    const name = { kind: "order", user: "ann", name: "mine" } as const;
    engine.names.answer([name], row === undefined ? [] : [row]);
    expect(engine.names.unanswered(command, command.at)).toEqual([]);
    expect(place("ann", "sell", order)).toEqual({ kind: "repetition", orderId: id });
    expect(place("ann", "sell", { ...order, lots: 2 })).toEqual(rejected("client_order_id_reused"));
  });

  it("stays with its open order", () => {
    const { engine, id, apply, command } = evictedDesk();
    engine.names.answer([{ kind: "order", user: "ann", name: "mine" }], []);
    expect(apply(command)).toMatchObject({ kind: "cancelled", orders: [{ id }] });
  });

  it("is the only one that is fetched, unless memory began without the names of the last day", () => {
    const { engine, command } = evictedDesk();
    const other = { ...command, clientOrderId: "other" };
    expect(engine.names.unanswered(command, command.at)).toHaveLength(1);
    expect(engine.names.unanswered(other, command.at)).toEqual([]);
    engine.names.load({ counts: [], completeFrom: command.at + 1 });
    expect(engine.names.unanswered(other, command.at)).toHaveLength(1);
  });

  it("is fetched again when the last answer is older than its time in memory", () => {
    const desk = openDesk();
    desk.engine.names.load({ counts: [], completeFrom: Number.MAX_SAFE_INTEGER });
    const name = { kind: "order", user: "ann", name: "mine" } as const;
    desk.engine.names.answer([name], []);
    const { id, createdAt: at } = desk.placed("ann", "sell", order);
    // Fetched before the order was placed, answered after.
    desk.engine.names.answer([name], []);
    desk.engine.names.evict({ upTo: 1, keep: 0 });
    desk.cancel("ann", id);
    const command = { id: "1-1-0", at, kind: "cancel", user: "ann", orderId: 0, clientOrderId: "mine" } as const;
    expect(desk.engine.names.unanswered(command, command.at)).toEqual([name]);
  });

  it("is not fetched while memory reaches back 24 hours", () => {
    const { engine, command, wait, placed } = evictedDesk();
    wait(DAY_MS);
    expect(engine.names.unanswered(command, command.at + DAY_MS - 1)).toHaveLength(1);
    expect(engine.names.unanswered(command, command.at + DAY_MS)).toEqual([]);
    placed("ann", "sell", { ...order, clientOrderId: "other" });
  });

  it("cannot leave memory before the caller says that the store has it", () => {
    const desk = openDesk();
    desk.placed("ann", "sell", order);
    desk.placed("ann", "sell", { ...order, clientOrderId: "second" });
    desk.engine.names.evict({ upTo: 1, keep: 0 });
    expect(desk.engine.names.figures()).toMatchObject({ taken: 2, evicted: 1, held: 1 });
    desk.engine.names.evict({ upTo: 2, keep: 1 });
    expect(desk.engine.names.figures()).toMatchObject({ taken: 2, evicted: 1, held: 1 });
  });
});
