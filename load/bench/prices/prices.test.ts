import { expect, it } from "vitest";
import { quickRun } from "../quick-run.ts";

it("measures the board, a long history and a fetch cycle", async () => {
  const rows = await quickRun(new URL("./prices.ts", import.meta.url), "pricesBenchmark");
  expect(rows.map(({ what }) => what.split(" ").slice(0, 2).join(" "))).toEqual([
    "GET /prices",
    "five years",
    "a fetch",
  ]);
  for (const { what, ratio, notes = "" } of rows) {
    expect(ratio, what).toBeGreaterThan(0);
    expect(notes, what).toMatch(/\d/);
  }
});
