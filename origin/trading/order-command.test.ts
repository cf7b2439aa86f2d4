import { describe, expect, it } from "vitest";
import { newOrderSchema } from "../api/trading/order-schemas.ts";
import { NO_AUCTION } from "../engine/auction/auction.ts";
import type { KnownPair } from "../instruments/grid.ts";
import { orderCommand } from "./order-command.ts";

const btcidr: KnownPair = {
  pair: "btcidr",
  baseCurrency: "btc",
  quoteCurrency: "idr",
  baseScale: 8,
  quoteScale: 2,
  tickSteps: 100_000n,
  lotSteps: 1_000n,
  valueStepsMin: 1_000_000n,
  makerFeePpm: 1_000,
  takerFeePpm: 2_000,
  state: "trading",
  opensAt: 0,
  freezeMs: 0,
  auction: NO_AUCTION,
  bandPpm: 200_000,
  version: 1,
  grid: 3,
  lastTicks: 0,
};

const limit = { pair: "btcidr", side: "buy", type: "limit", price: "1000000000", quantity: "0.00125" } as const;

function read(order: Record<string, unknown>) {
  const parsed = newOrderSchema.safeParse(order);
  if (!parsed.success)
    return { faults: parsed.error.issues.map(({ path, message }) => ({ field: path.join("."), message })) };
  const outcome = orderCommand(parsed.data, { pair: btcidr, user: "anna", openOrdersMax: 50 });
  if (outcome.ok) return { command: outcome.value };
  const faults = outcome.reason.map(({ field, message }) => ({ field, message }));
  return { faults, rules: outcome.reason.map(({ rule }) => rule) };
}

describe("an order as a command", () => {
  it("is counted in whole ticks and lots of the pair's grid", () => {
    expect(read(limit).command).toMatchObject({
      ticks: 1_000_000,
      lots: 125,
      quoteAmount: 0n,
      grid: 3,
      timeInForce: "GTC",
      openOrdersMax: 50,
    });
  });

  it("has a quote amount instead of a quantity if it is a market order", () => {
    const market = { pair: "btcidr", side: "buy", type: "market", quoteAmount: "250000.55" };
    expect(read(market).command).toMatchObject({ ticks: 0, lots: 0, quoteAmount: 25_000_055n, timeInForce: "IOC" });
  });

  it("accepts the largest price that can be counted exactly, and refuses a larger one", () => {
    const cheap = { ...limit, quantity: "0.00001" };
    expect(read({ ...cheap, price: "9007199254740991000" }).command).toMatchObject({ ticks: Number.MAX_SAFE_INTEGER });
    expect(read({ ...cheap, price: "9007199254740992000" }).faults).toEqual([
      { field: "price", message: "is larger than can be traded" },
    ]);
  });

  const NOT_PLAIN =
    "must be a plain decimal number: digits 0 to 9 and at most one point, without sign, exponent or spaces";
  const TICK = "must be a multiple of the tick, 1000";
  const LOT = "must be a multiple of the lot, 0.00001";
  const STRING = 'must be a decimal number in a string, as in "0.25"';

  it.each([
    ["", NOT_PLAIN],
    [" 12 ", NOT_PLAIN],
    ["0x10", NOT_PLAIN],
    ["1e3", NOT_PLAIN],
    ["1E3", NOT_PLAIN],
    ["+1000", NOT_PLAIN],
    ["01000", NOT_PLAIN],
    [".5", NOT_PLAIN],
    ["1,000", NOT_PLAIN],
    ["١٠٠٠", NOT_PLAIN],
    ["１０００", NOT_PLAIN],
    ["NaN", NOT_PLAIN],
    ["Infinity", NOT_PLAIN],
    ["-0", "must be more than 0"],
    ["0", "must be more than 0"],
    ["-1000", "must be more than 0"],
    ["1500", TICK],
    ["1000.001", TICK],
    [`1000.${"0".repeat(18)}1`, TICK],
    ["9007199254740993", TICK],
    ["9".repeat(40), "is larger than can be traded"],
    [1000, STRING],
    [true, STRING],
    [["1000"], STRING],
    [{ value: "1000" }, STRING],
    [null, STRING],
  ])("refuses the price %j and names the rule", (price, message) => {
    expect(read({ ...limit, price }).faults).toEqual([{ field: "price", message }]);
  });

  it.each([
    ["0.000015", LOT],
    ["0.0000000001", LOT],
    [`0.${"0".repeat(18)}1`, LOT],
    ["-1", "must be more than 0"],
    ["1e-3", NOT_PLAIN],
    ["9".repeat(40), "is larger than can be traded"],
  ])("refuses the quantity %j and names the rule", (quantity, message) => {
    expect(read({ ...limit, quantity }).faults).toEqual([{ field: "quantity", message }]);
  });

  it("must have the pair's minimum value, which the refusal names", () => {
    const at = { ...limit, price: "1000000000", quantity: "0.00001" };
    expect(read(at).command).toMatchObject({ lots: 1 });
    expect(read({ ...at, price: "999999000" }).faults).toEqual([
      { field: "quantity", message: "price times quantity must be at least the minimum, 10000 IDR" },
    ]);
    expect(read({ pair: "btcidr", side: "buy", type: "market", quoteAmount: "9999.99" }).faults).toEqual([
      { field: "quoteAmount", message: "must be at least the minimum, 10000 IDR" },
    ]);
  });

  it("must have the fields that its type requires, and none that would be ignored", () => {
    const fieldsOf = (order: Record<string, unknown>) => read(order).faults?.map(({ field }) => field);
    const market = { pair: "btcidr", side: "sell", type: "market", quantity: "1" };
    expect(fieldsOf({ pair: "btcidr", side: "buy", type: "limit" })).toEqual(["price", "quantity"]);
    expect(fieldsOf({ ...limit, quoteAmount: "10000" })).toEqual(["quoteAmount"]);
    expect(fieldsOf({ ...limit, postOnly: true, timeInForce: "IOC" })).toEqual(["postOnly"]);
    expect(fieldsOf({ ...market, quoteAmount: "10000" })).toEqual(["quantity"]);
    expect(fieldsOf({ ...market, quantity: undefined })).toEqual(["quantity"]);
    expect(fieldsOf({ ...market, price: "1000" })).toEqual(["price"]);
    expect(fieldsOf({ ...market, postOnly: true })).toEqual(["postOnly"]);
    expect(fieldsOf({ ...market, timeInForce: "GTC" })).toEqual(["timeInForce"]);
    expect(fieldsOf({ ...market, clientOrderId: "a b" })).toEqual(["clientOrderId"]);
    expect(fieldsOf({ ...market, clientOrderId: "x".repeat(65) })).toEqual(["clientOrderId"]);
    expect(fieldsOf({ ...market, side: "BUY", pair: "BTC/IDR" })).toEqual(["pair", "side"]);
  });

  it("names the kind of each fault, so that every dialect can choose its own error", () => {
    const market = { pair: "btcidr", side: "buy", type: "market" } as const;
    expect(read({ ...limit, price: undefined, quoteAmount: "1" }).rules).toEqual(["missing", "unsupported"]);
    expect(read(market).rules).toEqual(["missing"]);
    expect(read({ ...market, quantity: "1", quoteAmount: "1" }).rules).toEqual(["unsupported"]);
    expect(read({ ...limit, price: "1000000000.5", quantity: "0.000001" }).rules).toEqual(["number", "number"]);
    expect(read({ ...limit, quantity: "0.00001", price: "1000" }).rules).toEqual(["minimumValue"]);
  });
});
