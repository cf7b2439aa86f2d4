import { describe, expect, it } from "vitest";
import { type EdgeBindings, readConfiguration } from "./env.ts";

const COMPLETE: EdgeBindings = {
  ORIGIN_URL: "https://origin.test:8443/",
  UPSTASH_REDIS_REST_URL: "https://store.test",
  UPSTASH_REDIS_REST_TOKEN: "secret",
  SLUICE_SIGNING_KEYS: "secret",
};

describe("readConfiguration", () => {
  it("fills in what need not be said", () => {
    expect(readConfiguration(COMPLETE)).toMatchObject({
      ok: true,
      value: { origin: { kind: "url", site: "https://origin.test:8443" }, originTimeoutMs: 30_000, clientAddressFrom: "socket" },
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
    for (const name of ["ORIGIN_URL", "ORIGIN_TIMEOUT_MS", "CLIENT_ADDRESS_FROM", "UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"]) {
      expect(faults).toContain(name);
    }
    expect(faults).not.toMatch(/soon|anywhere/);
  });

  it.each(["ftp://origin.test", "origin.test", "https://origin.test/path", "https://origin.test/?q", "https://user@origin.test"])(
    "refuses %s as the origin's address",
    (address) => {
      expect(readConfiguration({ ...COMPLETE, ORIGIN_URL: address }).ok).toBe(false);
    },
  );
});
