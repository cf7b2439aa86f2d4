import { expect, it } from "vitest";
import { ordersBenchmark } from "./orders.ts";

it("commits every order, and sends as many SETs at the same rate", async () => {
  // A row throws if an order was not committed.
  const rows = await ordersBenchmark.run({ quick: true });
  const [orders, latency, sets, commits, ...others] = rows;
  expect(others).toEqual([]);
  expect(orders?.notes).toMatch(/µs of Node per order, load included, and [\d.]+ µs of Redis/);
  expect(latency?.notes).toMatch(/orders\/s arrive \(open model\): p50 [\d.]+, p99 [\d.]+/);
  expect(sets?.notes).toMatch(/the SETs: p50 [\d.]+, p99 [\d.]+/);
  expect(commits?.subjectMedian).toBeGreaterThan(0);
  for (const { what, ratio } of rows) expect(ratio > 0 && Number.isFinite(ratio), what).toBe(true);
});
