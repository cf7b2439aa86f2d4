import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newTokenKey } from "../../shared/new-token-key.ts";
import type { PrivateTokenKey } from "../../shared/token-keys.ts";
import type { TokenKeys } from "../../shared/verify-token.ts";
import { createLogger } from "../log.ts";
import { COOLDOWN_MS, fetchedKeys, REFRESH_AFTER_MS, STALE_MS_MAX } from "./fetched-keys.ts";
import { startTestGate, type TestGate } from "./test-gate.ts";

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

  it("does not fetch for made-up kids more than once per cooldown", async () => {
    await keys.find("first");
    for (let index = 0; index < 100; index++) expect(await keys.find(`made-up-${index}`)).toEqual({ ok: false, reason: "key_unknown" });
    expect(gate.asked()).toBe(1);
    elapsedMs += COOLDOWN_MS;
    await Promise.all(Array.from({ length: 100 }, async (_, index) => keys.find(`made-up-${index}`)));
    expect(gate.asked()).toBe(2);
  });

  it("lets go of a withdrawn key after the next refresh, which holds no request up", async () => {
    await keys.find("first");
    gate.publish([second]);
    elapsedMs += REFRESH_AFTER_MS;
    expect((await keys.find("first")).ok).toBe(true);
    await expect.poll(async () => (await keys.find("second")).ok).toBe(true);
    expect(await keys.find("first")).toEqual({ ok: false, reason: "key_unknown" });
    expect(gate.asked()).toBe(2);
  });

  it("gives the same object for a key that stays, so that what it verified stays remembered", async () => {
    const before = await keys.find("first");
    gate.publish([second, first]);
    elapsedMs += COOLDOWN_MS;
    expect((await keys.find("second")).ok).toBe(true);
    const after = await keys.find("first");
    expect(before.ok && after.ok && before.value === after.value).toBe(true);
  });

  it("takes an exchanged key under an old kid for a new key", async () => {
    const before = await keys.find("first");
    gate.publish([{ ...second, kid: "first" }, second]);
    elapsedMs += COOLDOWN_MS;
    expect((await keys.find("second")).ok).toBe(true);
    const after = await keys.find("first");
    expect(before.ok && after.ok && before.value !== after.value).toBe(true);
  });

  it("keeps known keys while the gate is away, but not for ever", async () => {
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
    ["answers with keys of another kind alone", (broken: TestGate) => broken.answer(200, '{"keys":[{"kty":"RSA","kid":"first"}]}')],
    ["leads elsewhere", (broken: TestGate) => broken.answer(302, "")],
    ["hangs", (broken: TestGate) => broken.hang()],
  ])("says that keys are unavailable when the gate %s, and recovers by itself", async (_name, breakGate) => {
    breakGate(gate);
    expect(await keys.find("first")).toEqual({ ok: false, reason: "keys_unavailable" });
    const askedWhileBroken = gate.asked();
    expect(await keys.find("first")).toEqual({ ok: false, reason: "keys_unavailable" });
    expect(gate.asked(), "no storm while it is broken").toBe(askedWhileBroken);
    gate.publish([first]);
    elapsedMs += COOLDOWN_MS;
    expect((await keys.find("first")).ok).toBe(true);
  });

  it("says that keys are unavailable when nobody listens at the gate's address", async () => {
    await gate.stop();
    expect(await keys.find("first")).toEqual({ ok: false, reason: "keys_unavailable" });
  });

  it("keeps the keys it has when the gate answers nonsense", async () => {
    await keys.find("first");
    gate.answer(200, '{"keys":[]}');
    elapsedMs += COOLDOWN_MS;
    expect(await keys.find("second")).toEqual({ ok: false, reason: "keys_unavailable" });
    expect((await keys.find("first")).ok).toBe(true);
  });
});
