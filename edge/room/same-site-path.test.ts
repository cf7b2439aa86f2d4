import { describe, expect, it } from "vitest";
import { sameSitePath } from "./same-site-path.ts";

describe("where a visitor came from", () => {
  it("is a path of this host", () => {
    expect(sameSitePath("https://shop.example/launch/?a=1#x", "shop.example")).toBe("/launch/?a=1");
    expect(sameSitePath("http://shop.example:8787/", "shop.example:8787")).toBe("/");
  });

  it.each([
    null,
    "",
    "/launch/",
    "https://evil.test/launch/",
    "https://shop.example.evil.test/",
    "https://shop.example@evil.test/",
    "https://shop.example//evil.test",
    "https://shop.example/\\evil.test",
    "javascript:alert(1)",
    "https://shop.example/_sluice/queues/launch/leave",
  ])("and never %s", (url) => {
    expect(sameSitePath(url, "shop.example")).toBeUndefined();
  });
});
