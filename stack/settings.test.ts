import { describe, expect, it } from "vitest";
import { parseStackSettings } from "./settings.ts";

function faultsOf(environment: Record<string, string>): readonly string[] {
  const parsed = parseStackSettings(environment);
  return parsed.ok ? [] : parsed.reason;
}

describe("parseStackSettings", () => {
  it("runs on defaults", () => {
    expect(parseStackSettings({})).toMatchObject({
      ok: true,
      value: {
        SLUICE_PORT: 8787,
        SLUICE_ORIGIN_PORT: 8788,
        SLUICE_BRIDGE_PORT: 8789,
        SLUICE_DATA_DIR: ".sluice",
        SLUICE_NO_INSTALL: false,
      },
    });
  });

  it("refuses half of the Upstash pair, and two stores for one line", () => {
    expect(faultsOf({ UPSTASH_REDIS_REST_URL: "https://x.test" })).toEqual([
      expect.stringContaining("set both or neither"),
    ]);
    const both = {
      UPSTASH_REDIS_REST_URL: "https://x.test",
      UPSTASH_REDIS_REST_TOKEN: "t",
      REDIS_URL: "redis://127.0.0.1",
    };
    expect(faultsOf(both)).toEqual([expect.stringContaining("the line has one store")]);
  });

  it("refuses one port for two parts", () => {
    expect(faultsOf({ SLUICE_PORT: "9000", SLUICE_REDIS_PORT: "9000" })).toEqual([
      "SLUICE_PORT and SLUICE_REDIS_PORT: both are 9000, each part needs a port of its own",
    ]);
  });

  it("refuses a short operator token, which could be guessed", () => {
    expect(faultsOf({ SLUICE_ADMIN_TOKEN: "admin" })).toEqual(["SLUICE_ADMIN_TOKEN: must have at least 16 characters"]);
  });
});
