import { describe, expect, it } from "vitest";
import { type ErrorCode, errorCatalogue, problemResponse } from "./errors.ts";

const codes = Object.keys(errorCatalogue) as ErrorCode[];

describe("problemResponse", () => {
  it.each(codes)("answers %s as a problem document with its own status and code", async (code) => {
    const response = problemResponse(code, { requestId: "r1" });
    expect(response.status).toBe(errorCatalogue[code].status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("x-request-id")).toBe("r1");
    expect(await response.json()).toMatchObject({
      type: `urn:sluice:error:${code}`,
      code,
      status: errorCatalogue[code].status,
      requestId: "r1",
    });
  });

  it("is never cached, and has Retry-After only when given one", () => {
    const response = problemResponse("origin_timeout", { retryAfterSeconds: 5 });
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("retry-after")).toBe("5");
    expect(problemResponse("not_found").headers.has("retry-after")).toBe(false);
  });
});

describe("errorCatalogue", () => {
  it("uses snake_case codes and error statuses", () => {
    for (const code of codes) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(errorCatalogue[code].status).toBeGreaterThanOrEqual(400);
      expect(errorCatalogue[code].title).toMatch(/\.$/);
    }
  });
});
