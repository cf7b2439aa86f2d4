import { describe, expect, it } from "vitest";
import { z } from "zod";
import { flagVariable, parseEnvironment, portVariable, redisUrlVariable, wholeNumberVariable } from "./environment.ts";

const schema = z.object({
  PORT: portVariable.default(8787),
  STORE_URL: redisUrlVariable,
  QUIET: flagVariable,
  TIMEOUT_MS: wholeNumberVariable({ min: 1, max: 60_000, fallback: 500 }),
});

describe("parseEnvironment", () => {
  it("returns typed values, with defaults for unset variables", () => {
    expect(parseEnvironment(schema, { STORE_URL: "redis://127.0.0.1:6379", UNRELATED: "x" })).toEqual({
      ok: true,
      value: { PORT: 8787, STORE_URL: "redis://127.0.0.1:6379", QUIET: false, TIMEOUT_MS: 500 },
    });
  });

  it("treats an empty variable as unset", () => {
    expect(parseEnvironment(schema, { STORE_URL: "rediss://host", PORT: "", QUIET: " " })).toMatchObject({
      ok: true,
      value: { PORT: 8787, QUIET: false },
    });
  });

  it("reports every fault at once, each with the variable's name", () => {
    const result = parseEnvironment(schema, { PORT: "99999", STORE_URL: "http://x", QUIET: "yes", TIMEOUT_MS: "0" });
    expect(result.ok).toBe(false);
    const faults = result.ok ? [] : result.reason;
    expect(faults.map((fault) => fault.split(":")[0])).toEqual(["PORT", "STORE_URL", "QUIET", "TIMEOUT_MS"]);
  });

  it("never repeats a value, which may be a secret", () => {
    const result = parseEnvironment(schema, {
      STORE_URL: "hunter2",
      QUIET: "hunter2",
      PORT: "hunter2",
      TIMEOUT_MS: "hunter2",
    });
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });

  it.each(["0", "65536", "-1", "80.5", "8e3", " 80", "0x50", "٨٠"])("refuses %j as a port", (PORT) => {
    expect(parseEnvironment(z.object({ PORT: portVariable }), { PORT }).ok).toBe(false);
  });

  it("reports a missing required variable as one that must be set", () => {
    const result = parseEnvironment(schema, {});
    expect(result.ok ? [] : result.reason).toEqual(["STORE_URL: must be set"]);
  });
});
