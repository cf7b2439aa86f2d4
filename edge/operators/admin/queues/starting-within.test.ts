import { describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../../admit/outage/outage.ts";
import { startingWithin } from "./starting-within.ts";

describe("startingWithin", () => {
  it("lets calls begin until the time is used up, and none after", async () => {
    let nowMs = 1_000;
    const slow = { evalsha: async () => (nowMs += 300), eval: async () => (nowMs += 300) };
    const store = startingWithin(slow, { limitMs: 450, clock: { nowMs: () => nowMs } });
    expect(await store.evalsha("", [], [])).toBe(1_300);
    expect(await store.eval("", [], [])).toBe(1_600);
    await expect(store.evalsha("", [], [])).rejects.toThrow(StoreUnavailable);
    await expect(store.eval("", [], [])).rejects.toThrow(StoreUnavailable);
    expect(nowMs).toBe(1_600);
  });
});
