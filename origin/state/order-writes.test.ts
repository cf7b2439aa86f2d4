import { expect, it } from "vitest";
import type { OrderRow } from "../engine/changes.ts";
import { createGrids } from "../instruments/grids.ts";
import { orderHash, restingOrder } from "./order-writes.ts";

const grids = createGrids();
grids.learn({
  currencies: [
    { currency: "btc", scale: 8 },
    { currency: "idr", scale: 2 },
  ],
  pairs: [
    { pair: "btcidr", grid: 3, baseCurrency: "btc", quoteCurrency: "idr", tickSteps: 100_000n, lotSteps: 1_000n },
  ],
});

const ORDER: OrderRow = {
  ...{
    id: 7,
    user: 'o"brien\\',
    pair: "btcidr",
    grid: 3,
    side: "buy",
    type: "limit",
    timeInForce: "GTC",
    postOnly: false,
  },
  ...{ ticks: 1_500_000, lots: 50, quoteAmount: 0n, filledLots: 0, filledValue: 0n, feePaid: 0n },
  ...{
    status: "open",
    cancelReason: "",
    clientOrderId: "",
    createdAt: 1_781_524_800_015,
    updatedAt: 1_781_524_800_015,
  },
};

const hashOf = (order: OrderRow) => orderHash(order, grids.of(order.pair, order.grid));

it("returns a resting order to the engine unchanged", () => {
  const partly: OrderRow = {
    ...ORDER,
    status: "partiallyFilled",
    filledLots: 13,
    filledValue: 1_950_000_001n,
    feePaid: 26n,
    updatedAt: 1_781_524_800_099,
  };
  const orders: readonly OrderRow[] = [
    ORDER,
    { ...ORDER, postOnly: true, clientOrderId: 'größe "1"\n' },
    partly,
    { ...partly, side: "sell", feePaid: 3_900_001n },
  ];
  for (const order of orders) expect(restingOrder(hashOf(order), grids)).toEqual(order);
});

it("leaves out an order that is gone or that has an unknown grid", () => {
  expect(restingOrder({}, grids)).toBeUndefined();
  expect(restingOrder({ ...hashOf(ORDER), grid: "4" }, grids)).toBeUndefined();
});
