import { describe, expect, it } from "vitest";
import { redact, redactText } from "./redaction.ts";

describe("redact", () => {
  it.each([
    "password",
    "passwordHash",
    "Authorization",
    "cookie",
    "set-cookie",
    "SLUICE_ADMIN_TOKEN",
    "apiKey",
    "api_key",
    "clientSecret",
    "privateKey",
    "ticket",
  ])("hides what is called %s, at any depth", (name) => {
    expect(redact({ outer: [{ [name]: "hunter2" }] })).toEqual({ outer: [{ [name]: "[redacted]" }] });
  });

  it("keeps what is not secret", () => {
    const fields = { queueId: "launch", position: 3, at: null, passes: 7, compass: "north", ok: true };
    expect(redact(fields)).toEqual(fields);
  });

  it("hides user and password of a URL inside any text", () => {
    expect(redactText("connect to redis://user:hunter2@10.0.0.1:6379/0 failed")).toBe(
      "connect to redis://[redacted]@10.0.0.1:6379/0 failed",
    );
    expect(redact({ url: "postgres://:hunter2@db/sluice" })).toEqual({ url: "postgres://[redacted]@db/sluice" });
  });

  it("keeps an error's message and cause without the command that @upstash/redis puts into it", () => {
    const error = new Error('ERR wrong, command was: ["set","session","hunter2"]', {
      cause: new Error("redis://:hunter2@host"),
    });
    const text = JSON.stringify(redact({ err: error }));
    expect(text).not.toContain("hunter2");
    expect(redact({ err: error })).toMatchObject({
      err: { message: "ERR wrong", cause: { message: "redis://[redacted]@host" } },
    });
  });

  it("writes bigints and dates as text, and stops at a bounded depth", () => {
    expect(redact({ amount: 5n, at: new Date(0) })).toEqual({ amount: "5", at: "1970-01-01T00:00:00.000Z" });
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(JSON.stringify(redact(loop))).toContain("[too deep]");
  });

  it("hides the command also where the words before it look like a pattern of replacement", () => {
    const error = new Error("ERR unknown command '$&' or '$`', command was: [\"evalsha\",\"hunter2\"]");
    expect(JSON.stringify(redact({ error }))).not.toContain("hunter2");
  });
});
