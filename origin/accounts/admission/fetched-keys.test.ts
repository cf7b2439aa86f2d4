import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGate, type TestGate } from "../../../kit/test-gate.ts";
import { newTokenKey } from "../../../shared/tokens/new-token-key.ts";
import type { PrivateTokenKey } from "../../../shared/tokens/token-keys.ts";
import type { TokenKeys } from "../../../shared/tokens/verify-token.ts";
import { createLogger } from "../../../stack/program/log.ts";
import { COOLDOWN_MS, fetchedKeys, REFRESH_AFTER_MS, STALE_MS_MAX } from "./fetched-keys.ts";

const log = createLogger("keys-test", { write: () => {} });

let first: PrivateTokenKey;
let second: PrivateTokenKey;
let gate: TestGate;
let keys: TokenKeys;
let elapsedMs: number;

beforeAll(async () => {
  first = await newTokenKey("first");
  second = await newTokenKey("second");
});

beforeEach(async () => {
  elapsedMs = 1_000_000;
  gate = await startTestGate([first]);
  keys = fetchedKeys({ url: gate.url, log, monotonicMs: () => elapsedMs });
});

afterEach(() => gate.stop());

describe("fetchedKeys", () => {
  it("fetches once for any number of requests at the start", async () => {
    const found = await Promise.all(Array.from({ length: 100 }, async () => keys.find("first")));
    expect(found.every(({ ok }) => ok)).toBe(true);
    expect(gate.asked()).toBe(1);
  });

  it("finds a new key at its first use, with one fetch", async () => {
    await keys.find("first");
    gate.publish([first, second]);
    elapsedMs += COOLDOWN_MS;
    const found = await Promise.all(Array.from({ length: 100 }, async () => keys.find("second")));
    expect(found.every(({ ok }) => ok)).toBe(true);
    expect(gate.asked()).toBe(2);
  });

  it("does not fetch for invented kids more than once per cooldown", async () => {
    await keys.find("first");
    for (let index = 0; index < 100; index++)
      expect(await keys.find(`made-up-${index}`)).toEqual({ ok: false, reason: "key_unknown" });
    expect(gate.asked()).toBe(1);
    elapsedMs += COOLDOWN_MS;
    await Promise.all(Array.from({ length: 100 }, async (_, index) => keys.find(`made-up-${index}`)));
    expect(gate.asked()).toBe(2);
  });

  it("drops a withdrawn key after the next refresh, which delays no request", async () => {
    await keys.find("first");
    gate.publish([second]);
    elapsedMs += REFRESH_AFTER_MS;
    expect((await keys.find("first")).ok).toBe(true);
    await expect.poll(async () => (await keys.find("second")).ok).toBe(true);
    expect(await keys.find("first")).toEqual({ ok: false, reason: "key_unknown" });
    expect(gate.asked()).toBe(2);
  });

  it("keeps the object of an unchanged key, so that verified tokens stay cached", async () => {
    const before = await keys.find("first");
    gate.publish([second, first]);
    elapsedMs += COOLDOWN_MS;
    expect((await keys.find("second")).ok).toBe(true);
    const after = await keys.find("first");
    expect(before.ok && after.ok && before.value === after.value).toBe(true);
  });

  it("treats a replaced key under an old kid as a new key", async () => {
    const before = await keys.find("first");
    gate.publish([{ ...second, kid: "first" }, second]);
    elapsedMs += COOLDOWN_MS;
    expect((await keys.find("second")).ok).toBe(true);
    const after = await keys.find("first");
    expect(before.ok && after.ok && before.value !== after.value).toBe(true);
  });

  it("keeps known keys while the gate is unavailable, but not forever", async () => {
    await keys.find("first");
    await gate.stop();
    elapsedMs += STALE_MS_MAX - 1;
    expect((await keys.find("first")).ok).toBe(true);
    elapsedMs += 1;
    expect(await keys.find("first")).toEqual({ ok: false, reason: "keys_unavailable" });
  });

  it.each([
    ["answers 500", (broken: TestGate) => broken.answer(500, "no")],
    ["answers HTML", (broken: TestGate) => broken.answer(200, "<html>")],
    ["answers half a JSON", (broken: TestGate) => broken.answer(200, '{"keys":[')],
    ["answers without keys", (broken: TestGate) => broken.answer(200, '{"keys":[]}')],
    [
      "answers only with keys of another type",
      (broken: TestGate) => broken.answer(200, '{"keys":[{"kty":"RSA","kid":"first"}]}'),
    ],
    ["leads elsewhere", (broken: TestGate) => broken.answer(302, "")],
    ["hangs", (broken: TestGate) => broken.hang()],
  ])("reports unavailable keys when the gate %s, and recovers", async (_name, breakGate) => {
    breakGate(gate);
    expect(await keys.find("first")).toEqual({ ok: false, reason: "keys_unavailable" });
    const askedWhileBroken = gate.asked();
    expect(await keys.find("first")).toEqual({ ok: false, reason: "keys_unavailable" });
    expect(gate.asked(), "no storm of requests meanwhile").toBe(askedWhileBroken);
    gate.publish([first]);
    elapsedMs += COOLDOWN_MS;
    expect((await keys.find("first")).ok).toBe(true);
  });

  it("reports unavailable keys when the gate's address refuses connections", async () => {
    await gate.stop();
    expect(await keys.find("first")).toEqual({ ok: false, reason: "keys_unavailable" });
  });

  it("keeps its keys when the gate's answer is invalid", async () => {
    await keys.find("first");
    gate.answer(200, '{"keys":[]}');
    elapsedMs += COOLDOWN_MS;
    expect(await keys.find("second")).toEqual({ ok: false, reason: "keys_unavailable" });
    expect((await keys.find("first")).ok).toBe(true);
  });
});
