import { beforeAll, describe, expect, it } from "vitest";
import { parseKeyring } from "../../shared/tokens/keyring.ts";
import { newTokenKey } from "../../shared/tokens/new-token-key.ts";
import { type PrivateTokenKey, TOKEN_KEYS_MAX } from "../../shared/tokens/token-keys.ts";
import { jwksResponse } from "./jwks.ts";

let one: PrivateTokenKey;
let two: PrivateTokenKey;

beforeAll(async () => {
  one = await newTokenKey("one");
  two = await newTokenKey("two");
});

async function faultsOf(keyring: unknown): Promise<readonly string[]> {
  const parsed = await parseKeyring(typeof keyring === "string" ? keyring : JSON.stringify(keyring));
  return parsed.ok ? [] : parsed.reason;
}

describe("parseKeyring", () => {
  it("signs with the active key and verifies with all", async () => {
    const keyring = await parseKeyring(JSON.stringify({ active: "two", keys: [one, two] }));
    expect(keyring).toMatchObject({ ok: true, value: { active: { kid: "two" } } });
    expect(keyring.ok ? [...keyring.value.publicKeys.keys()] : []).toEqual(["one", "two"]);
  });

  it("keeps the private key where no code can read it out", async () => {
    const keyring = await parseKeyring(JSON.stringify({ active: "one", keys: [one] }));
    expect(keyring.ok && keyring.value.active.privateKey.extractable).toBe(false);
  });

  it("reports every fault at once, by place and never by value", async () => {
    const faults = await faultsOf({
      active: "a b",
      keys: [
        { ...one, kty: "RSA" },
        { ...two, d: "hunter2" },
        { ...two, kid: "hunter2/.." },
      ],
    });
    expect(faults.map((fault) => fault.split(":")[0])).toEqual(["active", "keys.0.kty", "keys.1.d", "keys.2.kid"]);
    expect(faults.join()).not.toContain("hunter2");
  });

  it("reports each pair whose halves do not match", async () => {
    expect(
      await faultsOf({ active: "one", keys: [{ ...one, x: two.x }, two, { ...one, kid: "three", d: two.d }] }),
    ).toEqual([expect.stringContaining("keys.0: "), expect.stringContaining("keys.2: ")]);
  });

  it.each([
    ["text that is not JSON", "active=one"],
    ["an empty object", {}],
    ["a list", []],
    ["more text than any keyring has", " ".repeat(20_000)],
  ])("refuses %s", async (_name, keyring) => {
    expect(await faultsOf(keyring)).not.toEqual([]);
  });

  it("refuses no keys, too many keys, a kid used twice, a key without its private half, and an active key that is not there", async () => {
    expect(await faultsOf({ active: "one", keys: [] })).toContainEqual(expect.stringContaining("at least one key"));
    const many = Array.from({ length: TOKEN_KEYS_MAX + 1 }, (_, index) => ({ ...one, kid: `k${index}` }));
    expect(await faultsOf({ active: "k0", keys: many })).toEqual([expect.stringContaining("at most")]);
    expect(await faultsOf({ active: "one", keys: [one, { ...two, kid: "one" }] })).toEqual([
      expect.stringContaining("twice"),
    ]);
    expect(await faultsOf({ active: "one", keys: [{ ...one, d: undefined }] })).toEqual([
      expect.stringContaining("keys.0.d: "),
    ]);
    expect(await faultsOf({ active: "three", keys: [one] })).toEqual([expect.stringContaining("active: ")]);
  });
});

describe("jwksResponse", () => {
  it("shows the public half of every key and nothing of the private one", async () => {
    const secretExtra = { ...one, note: "hunter2" };
    const keyring = await parseKeyring(JSON.stringify({ active: "two", keys: [secretExtra, two] }));
    if (!keyring.ok) throw new Error(keyring.reason.join());
    const response = jwksResponse(keyring.value);
    const text = await response.clone().text();

    expect(await response.json()).toEqual({
      keys: [one, two].map(({ kid, x }) => ({ kid, kty: "OKP", crv: "Ed25519", x, alg: "EdDSA", use: "sig" })),
    });
    for (const secret of [one.d, two.d, '"d"', "hunter2"]) expect(text).not.toContain(secret);
    expect(response.headers.get("content-type")).toBe("application/jwk-set+json");
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
  });

  it("publishes only public members, whatever it gets", async () => {
    const keyring = await parseKeyring(JSON.stringify({ active: "one", keys: [one] }));
    if (!keyring.ok) throw new Error(keyring.reason.join());
    const text = await jwksResponse({ ...keyring.value, publicJwks: [one] }).text();
    expect(text).toContain(one.x);
    expect(text).not.toContain(one.d);
  });
});
