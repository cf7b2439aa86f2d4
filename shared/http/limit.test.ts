import { describe, expect, it } from "vitest";
import { createLimit } from "./limit.ts";

describe("a limit", () => {
  it("lets the burst through, then the rate, and says when to come back", () => {
    let nowMs = 1_000_000;
    const limit = createLimit({ name: "polls", perSecond: 2, burst: 3, clock: { nowMs: () => nowMs } });
    expect([1, 2, 3].map(() => limit.take("a").isOver)).toEqual([false, false, false]);
    const over = limit.take("a");
    expect(over).toEqual({
      isOver: true,
      retryAfterSeconds: 1,
      remainingShare: 0,
      headers: { "ratelimit-policy": '"polls";q=3;w=2', ratelimit: '"polls";r=0;t=2' },
    });
    nowMs += 499;
    expect(limit.take("a").isOver).toBe(true);
    nowMs += 1;
    expect([limit.take("a").isOver, limit.take("a").isOver]).toEqual([false, true]);
    nowMs += 60_000;
    expect([1, 2, 3, 4].map(() => limit.take("a").isOver)).toEqual([false, false, false, true]);
  });

  it("counts each identity separately", () => {
    const limit = createLimit({ name: "polls", perSecond: 1, burst: 1, clock: { nowMs: () => 5 } });
    expect([limit.take("a"), limit.take("b"), limit.take("a")].map(({ isOver }) => isOver)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("keeps no identity locked out when the clock is set back", () => {
    let nowMs = 10_000_000;
    const limit = createLimit({ name: "polls", perSecond: 1, burst: 2, clock: { nowMs: () => nowMs } });
    limit.take("a");
    nowMs -= 3_600_000;
    limit.take("a");
    nowMs += 2_000;
    expect(limit.take("a").isOver).toBe(false);
  });
});
