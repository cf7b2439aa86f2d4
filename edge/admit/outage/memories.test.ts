import { describe, expect, it } from "vitest";
import { createStoreClock } from "../../../shared/clock.ts";
import type { QueueId } from "../../../shared/queue-id.ts";
import type { Pass } from "../../../shared/tokens/admission.ts";
import { storePatience } from "../../store/store-patience.ts";
import { createSessions } from "../sessions/sessions.ts";
import { createFreshValue } from "./fresh-value.ts";
import { createLastAnswers } from "./last-answers.ts";
import { createStoreSilence } from "./outage.ts";

const waiting = {
  state: "waiting",
  position: 5,
  total: 9,
  order: 5,
  pollAfterMs: 4_000,
  flow: { admissionsPerSecond: 1, freedPerSecond: 1, presentShare: 1, stillMs: 0, freeSlots: 0, takenSlots: 1 },
  latestAtMs: null,
  hasMore: true,
  opensAtMs: null,
} as const;

describe("a value of the store", () => {
  function setUp() {
    let nowMs = 0;
    let loads = 0;
    let isUnavailable = false;
    const value = createFreshValue<number>({
      load: () => {
        loads++;
        return isUnavailable ? Promise.reject(new Error("away")) : Promise.resolve(loads);
      },
      onFailure: () => {},
      clock: { nowMs: () => nowMs },
      refreshAfterMs: 1_000,
      staleAfterMs: 2_000,
      patience: storePatience(),
      silence: createStoreSilence({ nowMs: () => nowMs }),
    });
    const background: Promise<unknown>[] = [];
    const get = () => value.get((work) => void background.push(work));
    return {
      value,
      get,
      loads: () => loads,
      settle: () => Promise.all(background),
      pass: (ms: number) => {
        nowMs += ms;
      },
      away: (state: boolean) => {
        isUnavailable = state;
      },
    };
  }

  it("is read once for all concurrent requests", async () => {
    const { get, loads } = setUp();
    expect(await Promise.all([get(), get(), get()])).toEqual([1, 1, 1]);
    expect(loads()).toBe(1);
  });

  it("is current when it is young or was read just now, and not while the store is unavailable or silent", async () => {
    const { value, get, pass, away, settle } = setUp();
    expect(value.isCurrent()).toBe(false);
    await get();
    expect(value.isCurrent()).toBe(true);
    away(true);
    pass(1_500);
    await get();
    expect(value.isCurrent(), "young enough, though it could not be read again").toBe(true);
    await settle();
    pass(600);
    await get();
    expect(value.isCurrent(), "older than that").toBe(false);
    away(false);
    pass(500);
    const slow = get();
    pass(2_500);
    expect(value.isCurrent(), "being read").toBe(false);
    await slow;
    expect(value.isCurrent(), "read, though it was asked for long ago").toBe(true);
    value.expire();
    expect(value.isCurrent(), "changed since").toBe(false);
  });

  it("is read again after it was expired, also during an earlier read", async () => {
    let stored = "before";
    const replies: (() => void)[] = [];
    const load = () => {
      const read = stored;
      return new Promise<string>((resolve) => replies.push(() => resolve(read)));
    };
    const value = createFreshValue<string>({
      load,
      onFailure: () => {},
      clock: { nowMs: () => 0 },
      refreshAfterMs: 1_000,
      staleAfterMs: 2_000,
      patience: storePatience(),
      silence: createStoreSilence({ nowMs: () => 0 }),
    });
    const first = value.get(() => {});
    stored = "after";
    value.expire();
    const second = value.get(() => {});
    for (const reply of replies.toReversed()) reply();
    expect(await Promise.all([first, second])).toEqual(["after", "after"]);
    expect(value.get(() => {})).toBe("after");
    expect(replies).toHaveLength(2);
  });

  it("is used while young, read after the response when older, and before it when too old", async () => {
    const { get, loads, pass, settle } = setUp();
    await get();
    pass(999);
    expect([get(), loads()]).toEqual([1, 1]);
    pass(1);
    expect([get(), loads()]).toEqual([1, 2]);
    await settle();
    expect(get()).toBe(2);
    pass(2_000);
    expect(await get()).toBe(3);
  });

  /** On the machine's own time, with a store that answers as the test says. */
  function setUpSlow(load: (call: number) => Promise<string>) {
    let calls = 0;
    const clock = { nowMs: () => performance.now() };
    const silence = createStoreSilence(clock);
    const value = createFreshValue<string>({
      load: () => load(++calls),
      onFailure: () => {},
      clock,
      refreshAfterMs: 20,
      staleAfterMs: 40,
      patience: storePatience(),
      silence,
    });
    return { value, silence, calls: () => calls, get: () => value.get(() => {}) };
  }

  const never = () => new Promise<never>(() => {});
  const aged = () => new Promise((resolve) => setTimeout(resolve, 50));

  it("is read by another request when the first reader is gone, without waiting for its read", async () => {
    const { get, calls } = setUpSlow((call) => (call === 1 ? never() : Promise.resolve(`read ${call}`)));
    expect(await Promise.all([get(), get(), get()])).toEqual(["read 2", "read 2", "read 2"]);
    expect(calls()).toBe(2);
  });

  it("makes one request wait when the store falls silent, and none after that until an answer comes", async () => {
    const { value, silence, get } = setUpSlow((call) => (call === 1 ? Promise.resolve("old") : never()));
    expect(await get()).toBe("old");
    await aged();
    const waited = get();
    expect(waited).toBeInstanceOf(Promise);
    expect(await waited).toBe("old");
    expect([silence.isSilent(), get(), value.isCurrent()]).toEqual([true, "old", false]);
    silence.answered(performance.now());
    expect(get()).toBeInstanceOf(Promise);
  });

  it("makes a request wait no longer than its remaining time", async () => {
    const { value } = setUpSlow(never);
    const startedAtMs = performance.now();
    expect(await value.get(() => {}, 30)).toBeUndefined();
    expect(performance.now() - startedAtMs).toBeLessThan(400);
    expect(value.get(() => {}, 0)).toBeUndefined();
  });

  it("stays the last known value while the store is unavailable, without a wait for each retry", async () => {
    const { get, loads, pass, away } = setUp();
    await get();
    away(true);
    pass(60_000);
    expect(await get()).toBe(1);
    expect([get(), loads()]).toEqual([1, 2]);
    away(false);
    pass(500);
    expect(await get()).toBe(3);
  });
});

describe("the last answer to a ticket", () => {
  it("answers a poll before half of its time with the rest of that time, and no later poll", () => {
    let nowMs = 10;
    const answers = createLastAnswers({ nowMs: () => nowMs });
    answers.remember("a", waiting);
    nowMs += 1_999;
    expect(answers.early("a")).toEqual({ ...waiting, pollAfterMs: 2_001, hasMore: false });
    expect(answers.early("b")).toBeUndefined();
    nowMs += 1;
    expect(answers.early("a")).toBeUndefined();
    nowMs -= 10_000;
    expect(answers.early("a")).toBeUndefined();
  });

  it("tells a due poll, which is never limited, from an early or unknown one", () => {
    let nowMs = 10;
    const answers = createLastAnswers({ nowMs: () => nowMs });
    expect(answers.isDue("a")).toBe(false);
    answers.remember("a", { ...waiting, pollAfterMs: 100 });
    nowMs += 49;
    expect(answers.isDue("a")).toBe(false);
    nowMs += 1;
    expect(answers.isDue("a")).toBe(true);
    answers.remember("a", { ...waiting, pollAfterMs: 100 });
    expect(answers.isDue("a")).toBe(false);
  });
});

describe("a session in use", () => {
  const ttlSeconds = 400;
  const times = { sessionTtlSeconds: ttlSeconds, idleSeconds: 0 };
  const pass = (issuedAtSeconds: number): Pass => ({
    queueId: "q" as QueueId,
    sessionId: "s",
    jti: "j",
    issuedAtSeconds,
    expiresAtSeconds: issuedAtSeconds + ttlSeconds - 5,
  });

  it("is touched once per quarter of its time, with the requests since then", () => {
    let nowMs = 1_000_000;
    const sessions = createSessions({ nowMs: () => nowMs });
    const first = pass(1_000);
    const touches: (number | undefined)[] = [];
    for (let request = 0; request < 21; request++) {
      const views = sessions.use(first, times);
      if (views !== undefined) sessions.touched("s", nowMs + ttlSeconds * 1_000);
      touches.push(views);
      nowMs += 10_000;
    }
    expect(touches.filter((views) => views !== undefined)).toEqual([11, 10]);
  });

  it("is touched once per eighth of its idle time where that is less", () => {
    let nowMs = 1_000_000;
    const sessions = createSessions({ nowMs: () => nowMs });
    let touches = 0;
    for (let second = 0; second < 80; second++) {
      if (sessions.use(pass(1_000), { ...times, idleSeconds: 80 }) !== undefined) {
        touches++;
        sessions.touched("s", nowMs + 80_000);
      }
      nowMs += 1_000;
    }
    expect(touches).toBe(7);
  });

  it("is touched at once by its first pass, and again a second later when that failed", () => {
    let nowMs = 1_000_000;
    const sessions = createSessions({ nowMs: () => nowMs });
    const first: Pass = { ...pass(1_000), expiresAtSeconds: 1_015, unconfirmed: true };
    expect([sessions.use(first, times), sessions.use(first, times)]).toEqual([1, undefined]);
    nowMs += 1_000;
    expect(sessions.use(first, times)).toBe(2);
    sessions.touched("s", nowMs + ttlSeconds * 1_000);
    nowMs += 1_000;
    expect(sessions.use(first, times)).toBeUndefined();
    expect(sessions.outlasts(first, times)).toBe(1_401_000);
  });

  it("gets a new pass when it was renewed, and not for a moment more", () => {
    const sessions = createSessions({ nowMs: () => 1_000_000 });
    const first = pass(1_000);
    sessions.use(first, times);
    expect(sessions.outlasts(first, times)).toBeUndefined();
    sessions.touched("s", 1_000_000 + ttlSeconds * 1_000 + 1_000);
    expect(sessions.outlasts(first, times)).toBeUndefined();
    sessions.touched("s", 1_000_000 + ttlSeconds * 1_250 + 6_000);
    expect(sessions.outlasts(first, times)).toBe(1_506_000);
    expect(sessions.outlasts(pass(1_101), times)).toBeUndefined();
  });

  it("offers a longer pass once a second to a program that keeps its first one", () => {
    let nowMs = 1_000_000;
    const sessions = createSessions({ nowMs: () => nowMs });
    const kept = pass(1_000);
    sessions.use(kept, times);
    sessions.touched(kept.sessionId, 1_900_000);
    const offers = Array.from({ length: 100 }, () => {
      nowMs += 30;
      return sessions.outlasts(kept, times);
    });
    expect(offers.filter((slotEndMs) => slotEndMs !== undefined)).toEqual([1_900_000, 1_900_000, 1_900_000]);
  });
});

describe("the store's clock", () => {
  it("is used on a machine whose clock is an hour off, and ignored for a small difference", () => {
    const clock = createStoreClock({ nowMs: () => 3_600_000 });
    clock.learn({ storeMs: 100, askedAtMs: 3_600_000 });
    expect(clock.nowMs()).toBe(100);
    clock.learn({ storeMs: 3_600_900, askedAtMs: 3_600_000 });
    expect(clock.nowMs()).toBe(3_600_000);
  });
});
