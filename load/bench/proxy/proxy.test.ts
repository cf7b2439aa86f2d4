import { expect, it } from "vitest";
import { proxyBenchmark } from "./proxy.ts";

it("has every request of both clients answered by the proxy, the bare worker and the lower bound", async () => {
  // A row throws if a request failed.
  const rows = await proxyBenchmark.run({ quick: true });
  expect(rows.map(({ what }) => what.replace(/, against.*/, ""))).toEqual(
    ["a program with 5 headers", "a browser with 12 headers"].flatMap((client) => [
      `GET of ${client} through the proxy`,
      `GET of ${client} through the lower bound for these promises`,
    ]),
  );
  for (const { what, subjectMedian, baselineMedian } of rows) {
    expect(subjectMedian, what).toBeGreaterThan(0);
    expect(baselineMedian, what).toBeGreaterThan(0);
  }
});
