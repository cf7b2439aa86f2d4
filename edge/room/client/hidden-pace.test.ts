import { describe, expect, it } from "vitest";
import { hiddenPace } from "./hidden-pace.ts";

describe("the pace of a hidden tab", () => {
  it("is three times as slow while the turn is far", () => {
    expect(hiddenPace({ pollAfterMs: 8_000, lowSeconds: 600, silenceMsMax: 60_000 })).toBe(24_000);
  });

  it("is never so slow that the line would take the visitor for gone", () => {
    expect(hiddenPace({ pollAfterMs: 20_000, lowSeconds: 600, silenceMsMax: 60_000 })).toBe(30_000);
  });

  it("is as told where the turn is near, or could come in between", () => {
    expect(hiddenPace({ pollAfterMs: 300, lowSeconds: 0, silenceMsMax: 60_000 })).toBe(300);
    expect(hiddenPace({ pollAfterMs: 4_000, lowSeconds: 20, silenceMsMax: 60_000 })).toBe(5_000);
  });
});
