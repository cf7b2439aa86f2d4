import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ScriptRunner } from "../../../shared/store/define-script.ts";
import { storePatience } from "../../store/store-patience.ts";
import { guardStore, StoreUnavailable } from "./outage.ts";

/** A store that behaves as told, and counts how often it was asked. */
function createStore(behave: () => Promise<unknown>) {
  let asked = 0;
  const call = () => {
    asked++;
    return behave();
  };
  const store: ScriptRunner = { evalsha: call, eval: call };
  return { store, asked: () => asked };
}

const broken = () => Promise.reject(new Error("Network connection lost."));
const silent = () => new Promise<never>(() => {});
const ask = (runner: ScriptRunner) => runner.evalsha("", [], []);

describe("the guarded store", () => {
  it.each([
    ["half a second, and 0.8 s for all calls of one visitor", undefined, [500, 800, 800]],
    ["what it is given, and in proportion for all calls of one visitor", 2_000, [2_000, 3_200, 3_200]],
  ])("gives up on silence after %s", async (_what, callMs, givenUpAtMs) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const startedAt = Date.now();
    const guarded = guardStore(createStore(silent).store, { nowMs: () => Date.now() }, storePatience(callMs));
    const visit = guarded.forVisit();
    const seen: number[] = [];
    for (const _call of givenUpAtMs) {
      const given = expect(ask(visit)).rejects.toBeInstanceOf(StoreUnavailable);
      await vi.advanceTimersToNextTimerAsync();
      await given;
      seen.push(Date.now() - startedAt);
    }
    expect(seen).toEqual(givenUpAtMs);
  });

  it("stops calls after three failures, lets one try after a second, and all after its success", async () => {
    let nowMs = 1_000;
    let isBroken = true;
    const { store, asked } = createStore(() => (isBroken ? broken() : Promise.resolve("ok")));
    const { once } = guardStore(store, { nowMs: () => nowMs });
    for (let call = 0; call < 10; call++) await expect(ask(once)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(asked()).toBe(3);
    nowMs += 1_001;
    await Promise.allSettled([ask(once), ask(once), ask(once)]);
    expect(asked()).toBe(4);
    isBroken = false;
    await expect(ask(once)).rejects.toBeInstanceOf(StoreUnavailable);
    nowMs += 1_001;
    expect(await ask(once)).toBe("ok");
    expect(await Promise.all([ask(once), ask(once)])).toEqual(["ok", "ok"]);
  });

  it("retries once for a visitor when the connection breaks at once, and never for others", async () => {
    let failures = 1;
    const { store, asked } = createStore(() => (failures-- > 0 ? broken() : Promise.resolve("ok")));
    const guarded = guardStore(store, { nowMs: () => Date.now() });
    expect(await ask(guarded.forVisit())).toBe("ok");
    expect(asked()).toBe(2);
    failures = 1;
    await expect(ask(guarded.once)).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it("passes on Redis' own errors, which are no outage", async () => {
    const { store, asked } = createStore(() =>
      Promise.reject(new Error("WRONGTYPE Operation against a key, command was: …")),
    );
    const { once } = guardStore(store, { nowMs: () => Date.now() });
    for (let call = 0; call < 10; call++) await expect(ask(once)).rejects.toThrow(/^WRONGTYPE/);
    expect(asked()).toBe(10);
  });
});
