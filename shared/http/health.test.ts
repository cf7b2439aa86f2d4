import { describe, expect, it } from "vitest";
import { checkPart, healthReport, healthStatusCode } from "./health.ts";

describe("checkPart", () => {
  const question = { name: "store", withinMs: 1_000, failure: "It does not answer." };

  it("is ok when the part answers", async () => {
    expect(await checkPart({ ...question, check: async () => "PONG" })).toEqual({ name: "store", state: "ok" });
  });

  it("is down, with the public sentence and not the error, when the part fails", async () => {
    const check = async () => {
      throw new Error("redis://:hunter2@host refused");
    };
    expect(await checkPart({ ...question, check })).toEqual({
      name: "store",
      state: "down",
      detail: "It does not answer.",
    });
  });

  it("counts a part that misses the deadline as down", async () => {
    const silent = () => new Promise(() => {});
    expect(await checkPart({ ...question, withinMs: 5, check: silent })).toMatchObject({ state: "down" });
  });
});

describe("healthReport", () => {
  it("is ok only when every part is, and names those that are not", () => {
    const good = healthReport([{ name: "edge", state: "ok" }]);
    const bad = healthReport([
      { name: "edge", state: "ok" },
      { name: "store", state: "down" },
    ]);
    expect([good.status, healthStatusCode(good)]).toEqual(["ok", 200]);
    expect([bad.status, bad.down, healthStatusCode(bad)]).toEqual(["down", ["store"], 503]);
  });
});
