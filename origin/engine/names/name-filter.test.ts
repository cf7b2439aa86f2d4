import { expect, it } from "vitest";
import { createNameFilter, mayHaveName, putName } from "./name-filter.ts";

const HOUR_MS = 3_600_000;
const START = Math.ceil(1_790_000_000_000 / (12 * HOUR_MS)) * 12 * HOUR_MS;

it("knows every name of the last 24 hours, over hours without any, and few that it was never given", () => {
  const filter = createNameFilter();
  const given: { readonly key: string; readonly at: number }[] = [];
  for (const hour of [0, 1, 11, 12, 23, 24, 30, 50, 51, 74, 75]) {
    for (let index = 0; index < 500; index++)
      given.push({ key: `order user-${index % 7} ${hour}.${index}`, at: START + hour * HOUR_MS });
  }
  for (const [place, { key, at }] of given.entries()) {
    putName(filter, key, at);
    const sample = given.filter((one, index) => index <= place && index % 97 === 0 && at - one.at < 24 * HOUR_MS);
    expect(sample.every((one) => mayHaveName(filter, one.key))).toBe(true);
  }
  const strangers = Array.from({ length: 10_000 }, (_, index) => mayHaveName(filter, `order user-1 stranger ${index}`));
  expect(strangers.filter(Boolean).length).toBeLessThan(10);
});

it("forgets a generation as a whole", () => {
  const filter = createNameFilter();
  putName(filter, "old", START);
  putName(filter, "new", START + 36 * HOUR_MS);
  expect([mayHaveName(filter, "old"), mayHaveName(filter, "new")]).toEqual([false, true]);
  putName(filter, "late", START);
  expect(mayHaveName(filter, "late")).toBe(false);
});
