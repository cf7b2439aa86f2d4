import { expect, it } from "vitest";
import { alternate, benchmarkRow, median } from "./benchmark.ts";
import { formatRows, replaceSection } from "./report.ts";

it("replaces only its own section of the page", () => {
  const page =
    "# Performance\n\nBy hand.\n\n<!-- bench:a -->\nold\n<!-- /bench:a -->\n\nBetween.\n\n<!-- bench:b -->\nkept\n<!-- /bench:b -->\n";
  const renewed = replaceSection({ page, name: "a", content: "new" });
  expect(renewed).toContain("<!-- bench:a -->\n\nnew\n\n<!-- /bench:a -->");
  expect(renewed).not.toContain("old");
  expect(renewed).toContain("By hand.");
  expect(renewed).toContain("Between.\n\n<!-- bench:b -->\nkept\n<!-- /bench:b -->\n");
});

it("adds a missing section, and replaces it later", () => {
  const once = replaceSection({ page: "# Performance\n", name: "a", content: "one" });
  const twice = replaceSection({ page: once, name: "a", content: "two" });
  expect(twice).toBe(once.replace("one", "two"));
});

it("runs subject and baseline in alternation, the order flipped each round", async () => {
  const ran: string[] = [];
  const rounds = await alternate({
    rounds: 3,
    subject: async () => ran.push("s"),
    baseline: async () => ran.push("b"),
  });
  expect(ran.join("")).toBe("sbbssb");
  expect(rounds).toEqual({ subjectRounds: [1, 4, 5], baselineRounds: [2, 3, 6] });
});

it("compares medians, so that one bad round does not decide", () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  const row = benchmarkRow({
    what: "w",
    unit: "u",
    aim: 0.5,
    subjectRounds: [10, 1, 10],
    baselineRounds: [20, 20, 900],
  });
  expect(row.ratio).toBe(0.5);
  expect(formatRows([row])).toContain("| **0.50** | 0.50 | w | 10.00 | 20.00 | u |");
});
