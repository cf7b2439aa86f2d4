import { describe, expect, it } from "vitest";
import { fromMeta, queueSettingsSchema, ticketLifeMs, toMeta } from "./settings.ts";

const settings = queueSettingsSchema.parse({ name: "Launch 42", maxActive: 3, admissionRate: 0.5 });

describe("queue settings", () => {
  it("come back from the store as they went in", () => {
    expect(fromMeta(toMeta(settings))).toEqual(settings);
    expect(
      fromMeta(toMeta({ ...settings, name: "12", waitingStatus: 503, sessionRenewal: false, mode: "drain" })),
    ).toMatchObject({
      name: "12",
      waitingStatus: 503,
      sessionRenewal: false,
      mode: "drain",
    });
    const told = {
      message: "Back\nin 5 minutes",
      language: "fa",
      template: { title: "null", colours: { dark: { accent: "#00ff00" } } },
    } as const;
    expect(fromMeta(toMeta({ ...settings, ...told }))).toMatchObject(told);
  });

  it("are stored under the names that the scripts read", () => {
    expect(toMeta(settings)).toMatchObject({
      mode: "active",
      max_active: "3",
      admission_rate: "0.5",
      admission_burst: "1",
      claim_seconds: "20",
    });
  });

  it("refuse a hash that is damaged, and take defaults for what an older version did not write", () => {
    expect(() => fromMeta({ ...toMeta(settings), max_active: "many" })).toThrow();
    const { tickets_per_ip: _notWritten, ...older } = toMeta(settings);
    expect(fromMeta(older)).toEqual(settings);
  });

  it.each([
    ["maxActive", 0],
    ["maxActive", 1.5],
    ["admissionRate", -1],
    ["admissionRate", Number.NaN],
    ["admissionRate", "5"],
    ["mode", "fast"],
    ["waitingStatus", 500],
    ["sessionTtlSeconds", 1e9],
    ["message", "x".repeat(501)],
    ["message", "a\u0000b"],
    ["language", "sv"],
    ["template", "<b>"],
    ["template", { html: "<b>" }],
    ["colour", "blue"],
  ])("refuse %s = %s", (name, value) => {
    const parsed = queueSettingsSchema.safeParse({ ...settings, [name]: value });
    expect(parsed.success).toBe(false);
  });

  it("keep a ticket valid for at least the grace period after its last poll", () => {
    expect(ticketLifeMs(settings)).toBeGreaterThanOrEqual(
      (settings.heartbeatTtlSeconds + settings.returnGraceSeconds) * 1_000,
    );
  });
});
