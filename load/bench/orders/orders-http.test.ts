import { expect, it } from "vitest";
import { quickRun } from "../quick-run.ts";

it("has every order acknowledged at the origin, through the gate and in batches", { timeout: 180_000 }, async () => {
  // A row throws if a request failed.
  const rows = await quickRun(new URL("./orders-http.ts", import.meta.url), "ordersHttpBenchmark");
  const count = (part: string) => rows.filter(({ what }) => what.includes(part)).length;
  expect([rows.length, count("at the origin"), count("through the gate"), count("100 in a request")]).toEqual([
    10, 6, 2, 2,
  ]);
  for (const { what, ratio } of rows) expect(ratio > 0 && Number.isFinite(ratio), what).toBe(true);
  expect(rows[0]?.notes).toMatch(/µs origin's main, .* µs origin's database, .* µs venue's Redis; bare .* µs server/);
  expect(rows[1]?.notes).toMatch(/µs edge, \d+ µs origin's main/);
});
