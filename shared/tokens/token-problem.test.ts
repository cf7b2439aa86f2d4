import { expect, it } from "vitest";
import { forgedPasses, forgedTickets } from "../../kit/forged-tokens.ts";
import { tokenProblem } from "./token-problem.ts";

it("answers every refusal with the same 401, so that an attacker cannot learn which check failed", async () => {
  const reasons = new Set([...forgedPasses, ...forgedTickets].map(([, reason]) => reason));
  const expected = await tokenProblem("missing", { requestId: "r1" }).text();
  for (const reason of reasons) {
    const response = tokenProblem(reason, { requestId: "r1" });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="sluice"');
    expect(await response.text()).toBe(expected);
  }
});

it("answers 503 when the keys are unavailable", async () => {
  const response = tokenProblem("keys_unavailable");
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("2");
  expect(await response.json()).toMatchObject({ code: "admission_keys_unavailable" });
});
