import { afterEach, describe, expect, it } from "vitest";
import { type Child, startChild } from "./child.ts";
import { createPatience, waitUntilReady } from "./wait-until-ready.ts";

const children: Child[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await child.stop();
});

function startIdle(): Child {
  const child = startChild({ name: "part", command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] });
  children.push(child);
  return child;
}

describe("patience", () => {
  it("lasts while there is progress, and ends without it", () => {
    let nowMs = 0;
    const patience = createPatience(100, () => nowMs);
    for (let step = 0; step < 50; step++) {
      nowMs += 99;
      expect(patience.isOver()).toBe(false);
      patience.note(`step ${step}`);
    }
    nowMs += 100;
    expect(patience.isOver()).toBe(true);
    expect(patience.last()).toBe("step 49");
  });

  it("does not count the repeated reports of a part that restarts", () => {
    let nowMs = 0;
    const patience = createPatience(100, () => nowMs);
    for (const progress of ["one", "two", "one", "two", "one"]) {
      nowMs += 40;
      patience.note(progress);
    }
    expect(patience.isOver()).toBe(true);
  });
});

describe("waitUntilReady", () => {
  it("waits for a part that makes progress, many times longer than the limit without progress", async () => {
    let probes = 0;
    const told: string[] = [];
    const stillMsMax = 40;
    const startedAt = performance.now();
    await waitUntilReady({
      child: startIdle(),
      // The first one that comes after so many times the limit is the last.
      probe: async () => performance.now() - startedAt > 10 * stillMsMax || `wallets, ${++probes} of about 1,000`,
      stillMsMax,
      onProgress: (progress) => told.push(progress),
    });
    expect(told.length).toBe(probes);
    expect(told[0]).toBe("wallets, 1 of about 1,000");
  });

  it("gives up on a part without progress, with its last report", async () => {
    const child = startIdle();
    const waiting = waitUntilReady({ child, probe: async () => "wallets, 7 of about 1,000", stillMsMax: 100 });
    await expect(waiting).rejects.toThrow("no progress for 0.1 s. Its last report: wallets, 7 of about 1,000");
    expect(child.hasExited()).toBe(true);
  });

  it("gives up on one that does not answer at all", async () => {
    const waiting = waitUntilReady({
      child: startIdle(),
      probe: () => Promise.reject(new Error("refused")),
      stillMsMax: 100,
    });
    await expect(waiting).rejects.toThrow("part did not become ready");
  });
});
