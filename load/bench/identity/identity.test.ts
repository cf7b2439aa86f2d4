import { expect, it } from "vitest";
import { quickRun } from "../quick-run.ts";

it("answers every signed request, every request with a token and every sign-in, and measures the origin's own time", async () => {
  const rows = await quickRun(new URL("./identity.ts", import.meta.url), "identityBenchmark");
  expect(rows.map(({ what }) => what.split(",")[0])).toEqual(["a request signed with an API key", "a sign-in"]);
  for (const { what, ratio, notes = "" } of rows) {
    expect(ratio, what).toBeGreaterThan(0);
    const [, subject, baseline] = /(\d+) and (\d+) a second/.exec(notes)?.map(Number) ?? [];
    expect(Math.min(subject ?? 0, baseline ?? 0), what).toBeGreaterThan(0);
  }
});
