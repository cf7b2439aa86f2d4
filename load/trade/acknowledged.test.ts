import { expect, it } from "vitest";
import { seededRandom } from "../../kit/random.ts";
import { rememberAcknowledged } from "./acknowledged.ts";

const order = (id: number) => ({
  id: String(id),
  trader: 0,
  clientOrderId: `a-${id}`,
  filledQuantity: "0",
  status: "open",
  isCancelled: false,
});

it("remembers every order up to the bound, and counts those beyond it", () => {
  const acknowledged = rememberAcknowledged(seededRandom(1), 100);
  for (let id = 0; id < 100; id++) acknowledged.add(order(id));
  expect(acknowledged.remembered().map(({ id }) => Number(id))).toEqual(Array.from({ length: 100 }, (_, id) => id));
  acknowledged.add(order(100));
  expect([acknowledged.count(), acknowledged.remembered().length]).toEqual([101, 100]);
});

it("samples early and late orders with the same probability", () => {
  const acknowledged = rememberAcknowledged(seededRandom(1), 1_000);
  for (let id = 0; id < 10_000; id++) acknowledged.add(order(id));
  const early = acknowledged.remembered().filter(({ id }) => Number(id) < 5_000).length;
  expect(early).toBeGreaterThan(430);
  expect(early).toBeLessThan(570);
});
