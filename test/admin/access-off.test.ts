import { describe, expect, it } from "vitest";
import { startAdminGate } from "./admin-gate.ts";

describe.each([
  ["no operator token", ""],
  ["an operator token that can be guessed", "short"],
])("an edge with %s", async (_what, token) => {
  const gate = await startAdminGate({ SLUICE_ADMIN_TOKEN: token });

  it.each(["", "Bearer ", `Bearer ${token}`, "Bearer undefined"])(
    "accepts no one as an operator: %j",
    async (authorization) => {
      const answer = await gate.call("GET", "/admin/queues", { headers: { authorization } });
      expect([answer.status, answer.body["code"]]).toEqual([503, "operator_access_off"]);
    },
  );
});
