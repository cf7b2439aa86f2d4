import { describe, expect, it } from "vitest";
import { z } from "zod";
import { keySetOf } from "../../../kit/test-gate.ts";
import { parseEnvironment } from "../../../shared/environment.ts";
import { newTokenKey } from "../../../shared/tokens/new-token-key.ts";
import { jwksVariable, knownKeys } from "./known-keys.ts";

const schema = z.object({ KEYS: jwksVariable });

describe("jwksVariable", () => {
  it("returns the keys that can verify, without keys of other types", async () => {
    const key = await newTokenKey("one");
    const { keys } = JSON.parse(keySetOf([key])) as { keys: unknown[] };
    const KEYS = JSON.stringify({ keys: [{ kty: "RSA", kid: "other", n: "AQAB" }, ...keys] });
    expect(parseEnvironment(schema, { KEYS })).toEqual({
      ok: true,
      value: { KEYS: [{ kid: "one", kty: "OKP", crv: "Ed25519", x: key.x }] },
    });
  });

  it.each([
    ["text that is not JSON", "hunter2"],
    ["no keys", '{"keys":[]}'],
    ["a key without a kid", '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"hunter2"}]}'],
    ["something else", '["hunter2"]'],
  ])("refuses %s without repeating it", (_name, KEYS) => {
    const result = parseEnvironment(schema, { KEYS });
    expect(result).toMatchObject({ ok: false, reason: [expect.stringMatching(/^KEYS/)] });
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });

  it("refuses a private key, which must not be at the origin", async () => {
    const key = await newTokenKey("one");
    const result = parseEnvironment(schema, { KEYS: JSON.stringify({ keys: [key] }) });
    expect(result).toEqual({ ok: false, reason: ["KEYS: must hold public keys only"] });
  });
});

describe("knownKeys", () => {
  it("finds its keys and no other", async () => {
    const { d: _d, ...key } = await newTokenKey("one");
    const keys = await knownKeys([key]);
    expect((await keys.find("one")).ok).toBe(true);
    expect(await keys.find("two")).toEqual({ ok: false, reason: "key_unknown" });
    expect(await keys.find("__proto__")).toEqual({ ok: false, reason: "key_unknown" });
  });
});
