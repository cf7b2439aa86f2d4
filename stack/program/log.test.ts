import { expect, it } from "vitest";
import { createLogger } from "./log.ts";

function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  let line = "";
  write(createLogger("test", { write: (text) => (line += text) }));
  return JSON.parse(line) as Record<string, unknown>;
}

it("writes one line of JSON with level, name and time", () => {
  const entry = logged((log) => log.info({ port: 1 }, "listens"));
  expect(entry).toMatchObject({ level: "info", name: "test", msg: "listens", port: 1 });
  expect(Date.parse(String(entry["time"]))).not.toBeNaN();
});

it("never writes a secret, in a field, a header or an error", () => {
  const error = new Error("redis://:hunter2@host");
  const entry = logged((log) =>
    log.error({ password: "hunter2", headers: { cookie: "hunter2" }, err: error }, "failed"),
  );
  expect(JSON.stringify(entry)).not.toContain("hunter2");
  expect(entry["err"]).toMatchObject({ message: "redis://[redacted]@host" });
});
