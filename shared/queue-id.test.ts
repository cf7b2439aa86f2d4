import { describe, expect, it } from "vitest";
import { parseQueueId, queueIdSchema } from "./queue-id.ts";

const LONGEST = "a".repeat(64);

describe("parseQueueId", () => {
  it.each(["venue", "demo", "0", "a-b", "2026-launch", "a--b", LONGEST])("takes %s as it is", (text) => {
    expect(parseQueueId(text)).toEqual({ ok: true, value: text });
    expect(queueIdSchema.safeParse(text)).toMatchObject({ success: true, data: text });
  });

  it.each([
    ["nothing", ""],
    ["a space", " "],
    ["65 characters", `${LONGEST}a`],
    ["a kilobyte", "a".repeat(1024)],
    ["capitals", "Venue"],
    ["braces, which would move the hash tag", "{venue}"],
    ["half a brace", "venue}"],
    ["a colon, which separates parts of a key", "a:b"],
    ["a trailing newline", "venue\n"],
    ["an inner newline", "ve\nnue"],
    ["a NUL", "venue\0"],
    ["a hyphen at the front", "-venue"],
    ["a hyphen at the end", "venue-"],
    ["a slash", "a/b"],
    ["dots", ".."],
    ["percent", "a%2f"],
    ["a semicolon, which ends a cookie", "a;b"],
    ["an equals sign", "a=b"],
    ["other scripts' digits", "٣"],
    ["letters that look alike", "vеnue"],
  ])("refuses %s", (_name, text) => {
    expect(parseQueueId(text)).toEqual({ ok: false, reason: "queue_id_malformed" });
    expect(queueIdSchema.safeParse(text).success).toBe(false);
  });

  it("refuses what is not text, without repeating it", () => {
    for (const value of [1, true, null, ["venue"], { toString: () => "venue" }])
      expect(queueIdSchema.safeParse(value).success).toBe(false);
    expect(JSON.stringify(queueIdSchema.safeParse("Hunter2").error)).not.toContain("unter2");
  });
});
