import { expect, it } from "vitest";
import { watchProcessLoad } from "./process-load.ts";

type Shares = { readonly busy: number; readonly idle: number };

function watched() {
  const at = { nowMs: 0, busyMs: 0, idleMs: 0 };
  const load = watchProcessLoad({ nowMs: () => at.nowMs, readTimes: () => at, cores: 2 });
  return (ms: number, { busy, idle }: Shares) => {
    at.nowMs += ms;
    at.busyMs += ms * busy;
    at.idleMs += ms * 2 * idle;
    return load.isHigh();
  };
}

it("is high while the process is busy and no core has time left, and not before or after", () => {
  const pass = watched();
  expect(pass(1_000, { busy: 0.7, idle: 0.3 })).toBe(false);
  expect(pass(1_000, { busy: 0.7, idle: 0.02 })).toBe(true);
  expect(pass(1_000, { busy: 0.7, idle: 0.3 })).toBe(false);
});

it("is not high when other programs need the machine", () => {
  expect(watched()(1_000, { busy: 0.1, idle: 0 })).toBe(false);
});

it("keeps its verdict within a span, so that one large step does not count as load", () => {
  const pass = watched();
  expect(pass(100, { busy: 1, idle: 0 })).toBe(false);
  expect(pass(1_000, { busy: 1, idle: 0 })).toBe(true);
  expect(pass(100, { busy: 0, idle: 1 })).toBe(true);
});

it("reads the times of this process and machine", () => {
  expect(watchProcessLoad().isHigh()).toBe(false);
});
