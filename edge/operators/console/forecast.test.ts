import { describe, expect, it } from "vitest";
import { clearsInSeconds, duration, effectOf, type Flow } from "./forecast.ts";
import { effectNow, queueAt } from "./queue-now.ts";

const NOW: Flow = {
  mode: "active",
  waiting: 5_310,
  active: 400,
  maxActive: 10_000,
  admissionRate: 10,
  admissionsPerSecond: 9.8,
};
/** Three inside, no room, and one leaves every ten seconds. */
const CAPPED: Flow = { ...NOW, waiting: 30, active: 3, maxActive: 3, admissionRate: 1, admissionsPerSecond: 0.1 };

describe("what a change will do", () => {
  it.each<[string, Flow, Parameters<typeof effectOf>[1], readonly string[]]>([
    [
      "a higher rate",
      NOW,
      { admissionRate: 50 },
      ["At 50/s the 5,310 waiting clear in about 2 min instead of about 9 min."],
    ],
    ["the same rate", NOW, { admissionRate: 10 }, []],
    [
      "a rate that makes no visible difference",
      NOW,
      { admissionRate: 10.01 },
      ["At 10.01/s the 5,310 waiting clear in about 9 min, as before."],
    ],
    [
      "a pause",
      NOW,
      { mode: "paused" },
      ["The 5,310 waiting keep their places. The line does not move until you run it again."],
    ],
    ["a drain", NOW, { mode: "drain" }, ["The 5,310 waiting still go in, in about 9 min. Newcomers are turned away."]],
    [
      "opening",
      NOW,
      { mode: "open" },
      ["The 5,310 waiting and all new visitors enter at once, past the maximum inside of 10,000."],
    ],
    ["running again", { ...NOW, mode: "paused" }, { mode: "active" }, ["The 5,310 waiting go in, in about 9 min."]],
    [
      "a rate while paused",
      { ...NOW, mode: "paused" },
      { admissionRate: 50 },
      ["At 50/s the 5,310 waiting do not move, because the line stands still."],
    ],
    [
      "a cap below those inside",
      NOW,
      { maxActive: 100 },
      [
        "With 100 inside the 5,310 waiting clear in about 9 min, as before.",
        "400 people are inside now. They all stay, and no one else enters until fewer than 100 are left.",
      ],
    ],
    [
      "a rate that the cap makes useless",
      CAPPED,
      { admissionRate: 5 },
      [
        "At 5/s the 30 waiting clear in about 5 min, as before.",
        "All 3 slots are taken, so visitors enter only as others leave: a higher admission rate changes little.",
      ],
    ],
    [
      "a higher cap, so that more leave",
      CAPPED,
      { maxActive: 6 },
      ["With 6 inside the 30 waiting clear in about 2 min instead of about 5 min."],
    ],
    [
      "an empty line",
      { ...NOW, waiting: 0 },
      { admissionRate: 50 },
      ["No one is waiting. At 50/s a line of 1,000 would clear in about 20 s."],
    ],
  ])("%s", (_what, now, change, sentences) => {
    expect(effectOf(now, change)).toEqual(sentences);
  });

  it("reports lines that never clear", () => {
    expect(clearsInSeconds({ ...NOW, mode: "paused" })).toBeUndefined();
    expect(clearsInSeconds({ ...CAPPED, admissionsPerSecond: 0 })).toBeUndefined();
    expect(clearsInSeconds({ ...NOW, waiting: 0, mode: "paused" })).toBe(0);
  });

  it("counts the time until an event opens", () => {
    expect(clearsInSeconds({ ...NOW, opensInSeconds: 600 })).toBe(600 + 531);
  });

  it("says a duration no more exactly than it is known", () => {
    expect([0.2, 5, 80, 540, 9_000, 400_000].map(duration)).toEqual([
      "no time",
      "about 5 s",
      "about 80 s",
      "about 9 min",
      "about 2.5 h",
      "about 5 days",
    ]);
  });
});

describe("a queue with an event", () => {
  const OPENS_AT_MS = 1_790_000_000_000;
  const event = { prequeueOpensAt: OPENS_AT_MS - 60_000, opensAt: OPENS_AT_MS, closesAt: OPENS_AT_MS + 60_000 };
  const queue = { ...NOW, ...event, eventOverrides: { admissionRate: 100 } };

  it("does not move before it, and has its settings only during it", () => {
    expect(queueAt(queue, OPENS_AT_MS - 30_000)).toMatchObject({
      phase: "prequeue",
      opensInSeconds: 30,
      admissionRate: 10,
    });
    expect(queueAt(queue, OPENS_AT_MS)).toMatchObject({ phase: "open", opensInSeconds: 0, admissionRate: 100 });
    expect(queueAt(queue, OPENS_AT_MS + 60_000)).toMatchObject({ phase: "over", admissionRate: 10 });
  });

  it("ignores a setting that the event overrides", () => {
    const own = "The event has its own admission rate: this takes effect when it is over.";
    expect(effectNow(queue, { admissionRate: 50 }, OPENS_AT_MS)).toEqual([own]);
    expect(effectNow(queue, { admissionRate: 50 }, OPENS_AT_MS + 60_000)).toEqual([
      "At 50/s the 5,310 waiting clear in about 2 min instead of about 9 min.",
    ]);
  });
});
