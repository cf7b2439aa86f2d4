import { expect, it } from "vitest";
import { createBusiestSpan } from "./busiest-span.ts";

it("finds the busiest ten seconds, and their rate", () => {
  const span = createBusiestSpan();
  expect(span.perSecond()).toBe(0);
  for (let atMs = 0; atMs < 60_000; atMs += 1_000) span.add(atMs);
  expect(span.perSecond()).toBe(1);
  for (let extra = 0; extra < 30; extra++) span.add(34_500);
  expect(span.perSecond()).toBe(4);
  for (let extra = 0; extra < 10; extra++) span.add(45_000);
  expect(span.perSecond(), "eleven seconds apart").toBe(4);
});
