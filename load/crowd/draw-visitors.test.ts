import { describe, expect, it } from "vitest";
import type { CrowdOptions } from "./crowd-options.ts";
import { drawVisitors, HABITS } from "./draw-visitors.ts";

const OPTIONS: CrowdOptions = {
  visitors: 10_000,
  overSeconds: 60,
  curve: "spike",
  silentShare: 0.3,
  returnShare: 0.1,
  leaveShare: 0.05,
  retryShare: 0.2,
  shareAddressShare: 0.25,
  requests: 1,
  staySeconds: 2,
  withinSeconds: 60,
  seed: 3,
  shard: { index: 1, count: 1 },
};

describe("the visitors of a crowd", () => {
  it("have habits in the requested shares", () => {
    const { habit, retries, address } = drawVisitors(OPTIONS);
    const share = (name: (typeof HABITS)[number]) =>
      habit.filter((one) => one === HABITS.indexOf(name)).length / 10_000;
    expect(share("silent")).toBeCloseTo(0.3, 1);
    expect(share("returns")).toBeCloseTo(0.1, 1);
    expect(Math.abs(share("leaves") - 0.05)).toBeLessThan(0.01);
    expect(retries.filter((one) => one === 1).length / 10_000).toBeCloseTo(0.2, 1);
    const shared = address.filter((one) => one === "100.64.0.1").length;
    expect(shared / 10_000).toBeCloseTo(0.25, 1);
    expect(new Set(address).size).toBe(10_000 - shared + 1);
  });

  it("are divided among shards, each visitor in one", () => {
    const whole = drawVisitors(OPTIONS);
    const shards = [1, 2, 3].map((index) => drawVisitors({ ...OPTIONS, shard: { index, count: 3 } }));
    expect(shards.map(({ count }) => count)).toEqual([3_334, 3_333, 3_333]);
    const merged = shards.flatMap((shard) =>
      [...shard.arrivesMs].map((at, index) => `${at} ${shard.habit[index]} ${shard.address[index]}`),
    );
    expect(merged.toSorted()).toEqual(
      [...whole.arrivesMs].map((at, index) => `${at} ${whole.habit[index]} ${whole.address[index]}`).toSorted(),
    );
  });
});
