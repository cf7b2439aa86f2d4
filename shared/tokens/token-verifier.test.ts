import type { CryptoKey } from "jose";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTokenForge, ISSUER, OTHER_QUEUE, type TokenForge, VENUE } from "../../kit/token-forge.ts";
import { fail, ok } from "../result.ts";
import { importTokenKey, publicTokenKeySchema } from "./token-keys.ts";
import { createTokenMemory, createTokenVerifier, type TokenVerifier } from "./token-verifier.ts";

const NOW_SECONDS = 1_790_000_000;
const NOW_MS = NOW_SECONDS * 1000;
const here = { queueIds: [VENUE], nowMs: NOW_MS };

let forge: TokenForge;
let key: CryptoKey;
let current: CryptoKey | undefined;
let verifier: TokenVerifier;

beforeAll(async () => {
  forge = await createTokenForge({ kind: "pass", nowSeconds: NOW_SECONDS });
  key = await importTokenKey(publicTokenKeySchema.parse(forge.jwk));
});

beforeEach(() => {
  current = key;
  verifier = createTokenVerifier({
    issuer: ISSUER,
    keys: { find: () => (current === undefined ? fail("key_unknown") : ok(current)) },
    rememberedMax: 2,
  });
});

describe("createTokenVerifier", () => {
  it("gives a remembered token's content without another signature check", async () => {
    const token = await forge.token();
    const first = await verifier.pass(token, here);
    const second = await verifier.pass(token, here);
    expect(first.ok && second.ok && first.value === second.value).toBe(true);
  });

  it("never lets a remembered token outlive its expiry", async () => {
    const token = await forge.token();
    await verifier.pass(token, here);
    expect((await verifier.pass(token, { ...here, nowMs: (NOW_SECONDS + 3_604) * 1000 + 999 })).ok).toBe(true);
    expect(await verifier.pass(token, { ...here, nowMs: (NOW_SECONDS + 3_605) * 1000 })).toEqual({
      ok: false,
      reason: "expired",
    });
    expect((await verifier.pass(token, { ...here, nowMs: Number.NaN })).ok).toBe(false);
  });

  it("refuses a remembered token at another queue", async () => {
    const token = await forge.token();
    await verifier.pass(token, here);
    expect(await verifier.pass(token, { ...here, queueIds: [OTHER_QUEUE] })).toEqual({
      ok: false,
      reason: "audience_wrong",
    });
    expect((await verifier.pass(token, here)).ok).toBe(true);
  });

  it("refuses a remembered pass as a ticket", async () => {
    const token = await forge.token();
    await verifier.pass(token, here);
    expect(await verifier.ticket(token, here)).toEqual({ ok: false, reason: "type_refused" });
  });

  it("forgets a remembered token when its key is withdrawn", async () => {
    const token = await forge.token();
    await verifier.pass(token, here);
    current = undefined;
    expect(await verifier.pass(token, here)).toEqual({ ok: false, reason: "key_unknown" });
  });

  it("forgets a remembered token when its kid names another key", async () => {
    const token = await forge.token();
    await verifier.pass(token, here);
    current = await importTokenKey(publicTokenKeySchema.parse(forge.strangerJwk));
    expect(await verifier.pass(token, here)).toEqual({ ok: false, reason: "signature_wrong" });
  });

  it("verifies a token again after the clock was set back to before its beginning", async () => {
    const token = await forge.token({ claims: { nbf: NOW_SECONDS - 10 } });
    await verifier.pass(token, here);
    expect(await verifier.pass(token, { ...here, nowMs: NOW_MS - 3_600_000 })).toEqual({
      ok: false,
      reason: "not_yet_valid",
    });
  });

  it("remembers nothing that was refused", async () => {
    const token = await forge.token({ claims: { nbf: NOW_SECONDS + 60 } });
    expect((await verifier.pass(token, here)).ok).toBe(false);
    expect((await verifier.pass(token, { ...here, nowMs: NOW_MS + 60_000 })).ok).toBe(true);
  });

  it("knows only the exact spelling it verified", async () => {
    const token = await forge.token();
    await verifier.pass(token, here);
    expect((await verifier.pass(`${token} `, here)).ok).toBe(false);
    expect((await verifier.pass(token.slice(0, -1), here)).ok).toBe(false);
  });
});

describe("createTokenMemory", () => {
  type Entry = { readonly endsAtMs: number };
  const create = (entriesMax: number) =>
    createTokenMemory<Entry>({ entriesMax, isUnexpired: ({ endsAtMs }, nowMs) => endsAtMs > nowMs });

  it("never holds more than its bound, and lets the oldest go first", () => {
    const memory = create(3);
    for (let index = 0; index < 1_000; index++) {
      memory.remember(`token-${index}`, { endsAtMs: 10 }, 0);
      expect(memory.size()).toBeLessThanOrEqual(3);
    }
    expect(
      ["token-996", "token-997", "token-998", "token-999"].map((token) => memory.recall(token) !== undefined),
    ).toEqual([false, true, true, true]);
  });

  it("drops expired entries as new ones come in, long before it is full", () => {
    const memory = create(1_000);
    for (let index = 0; index < 100; index++) memory.remember(`old-${index}`, { endsAtMs: 10 }, 0);
    for (let index = 0; index < 30; index++) memory.remember(`new-${index}`, { endsAtMs: 20 }, 10);
    expect(memory.size()).toBe(30);
  });

  it("replaces an entry without pushing another one out", () => {
    const memory = create(2);
    memory.remember("a", { endsAtMs: 10 }, 0);
    memory.remember("b", { endsAtMs: 10 }, 0);
    memory.remember("b", { endsAtMs: 11 }, 0);
    expect([memory.recall("a"), memory.recall("b")]).toEqual([{ endsAtMs: 10 }, { endsAtMs: 11 }]);
  });
});
