import { expect, it } from "vitest";
import { forgedPasses, forgedTickets } from "../test/parts/forged-tokens.ts";
import { tokenProblem } from "./token-problem.ts";

it("answers every refusal with the same 401, so that nobody learns which check failed", async () => {
  const reasons = new Set([...forgedPasses, ...forgedTickets].map(([, reason]) => reason));
  const expected = await tokenProblem("missing", { requestId: "r1" }).text();
  for (const reason of reasons) {
    const response = tokenProblem(reason, { requestId: "r1" });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="sluice"');
    expect(await response.text()).toBe(expected);
  }
});

it("says apart, as our own fault, that the keys cannot be had", async () => {
  const response = tokenProblem("keys_unavailable");
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("2");
  expect(await response.json()).toMatchObject({ code: "admission_keys_unavailable" });
});
