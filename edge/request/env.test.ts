import { describe, expect, it } from "vitest";
import { type EdgeBindings, readConfiguration } from "./env.ts";

const COMPLETE: EdgeBindings = {
  ORIGIN_URL: "https://origin.test:8443/",
  UPSTASH_REDIS_REST_URL: "https://store.test",
  UPSTASH_REDIS_REST_TOKEN: "secret",
  SLUICE_SIGNING_KEYS: "secret",
};

describe("readConfiguration", () => {
  it("fills in the defaults", () => {
    expect(readConfiguration(COMPLETE)).toMatchObject({
      ok: true,
      value: {
        origin: { kind: "url", site: "https://origin.test:8443" },
        originTimeoutMs: 30_000,
        clientAddressFrom: "socket",
      },
    });
  });

  it("prefers the binding to the URL", () => {
    const fetcher = {} as Fetcher;
    expect(readConfiguration({ ...COMPLETE, ORIGIN: fetcher })).toMatchObject({
      ok: true,
      value: { origin: { kind: "binding", fetcher } },
    });
  });

  it("names every fault at once and repeats no value", () => {
    const result = readConfiguration({ ORIGIN_TIMEOUT_MS: "soon", CLIENT_ADDRESS_FROM: "anywhere" });
    expect(result.ok).toBe(false);
    const faults = result.ok ? "" : result.reason.join("\n");
    for (const name of [
      "ORIGIN_URL",
      "ORIGIN_TIMEOUT_MS",
      "CLIENT_ADDRESS_FROM",
      "UPSTASH_REDIS_REST_URL",
      "UPSTASH_REDIS_REST_TOKEN",
    ]) {
      expect(faults).toContain(name);
    }
    expect(faults).not.toMatch(/soon|anywhere/);
  });

  it("knows operators by their names, and the shared one", () => {
    const [shared, own] = ["a-token-that-all-share", "a-token-of-her-own"];
    const result = readConfiguration({
      ...COMPLETE,
      SLUICE_ADMIN_TOKEN: shared,
      SLUICE_ADMIN_TOKENS: ` alice:${own}, bob:b:${own} `,
    });
    const operators = [
      { name: "operator", token: shared },
      { name: "alice", token: own },
      { name: "bob", token: `b:${own}` },
    ];
    expect(result).toMatchObject({ ok: true, value: { operators } });
    expect(readConfiguration({ ...COMPLETE, SLUICE_ADMIN_TOKEN: "short" })).toMatchObject({
      ok: true,
      value: { operators: [] },
    });
  });

  it.each([
    "alice",
    "alice:",
    "alice:short",
    ":a-token-of-her-own",
    "a b:a-token-of-her-own",
    "operator:a-token-of-her-own",
  ])("refuses %s as operators, and repeats nothing of it", (pairs) => {
    const result = readConfiguration({ ...COMPLETE, SLUICE_ADMIN_TOKENS: pairs });
    expect(result.ok).toBe(false);
    expect(result.ok ? "" : result.reason.join("\n")).not.toMatch(/alice|short|her-own/);
  });

  it("refuses two operators of one name or one token", () => {
    const [one, two] = ["a-token-of-her-own", "another-of-her-own"];
    for (const pairs of [`alice:${one},alice:${two}`, `alice:${one},bob:${one}`]) {
      expect(readConfiguration({ ...COMPLETE, SLUICE_ADMIN_TOKENS: pairs }).ok).toBe(false);
    }
  });

  it.each([
    "ftp://origin.test",
    "origin.test",
    "https://origin.test/path",
    "https://origin.test/?q",
    "https://user@origin.test",
  ])("refuses %s as the origin's address", (address) => {
    expect(readConfiguration({ ...COMPLETE, ORIGIN_URL: address }).ok).toBe(false);
  });
});
