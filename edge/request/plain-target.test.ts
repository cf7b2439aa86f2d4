import { describe, expect, it } from "vitest";
import { plainTarget, TARGET_LENGTH_MAX } from "./plain-target.ts";

describe("plainTarget", () => {
  it("splits a URL without changing it", () => {
    const target = plainTarget("https://Shop.test:8443/a/b?x='1'");
    expect(target).toEqual({
      ok: true,
      value: {
        site: "https://Shop.test:8443",
        host: "Shop.test:8443",
        protocol: "https",
        path: "/a/b",
        query: "?x='1'",
        isAsSent: true,
        isStable: false,
      },
    });
  });

  it.each(["http://a.test/x?y=1", "http://127.0.0.1:8787/", "http://[::1]:80/x".replace(":80", ":81")])(
    "calls %s stable: as text it stays as it is",
    (url) => {
      expect(plainTarget(url)).toMatchObject({ ok: true, value: { isStable: true, isAsSent: true } });
      expect(new URL(url).href).toBe(url);
    },
  );

  it.each([
    "http://A.test/",
    "http://a.test:80/",
    "http://0x7f.1/",
    "http://a.test/?q='",
    'http://a.test/?q="',
    "http://a.test/?q=<",
  ])("calls %s not stable: a URL parser would write it in another way", (url) => {
    expect(plainTarget(url)).toMatchObject({ ok: true, value: { isStable: false } });
    expect(new URL(url).href).not.toBe(url);
  });

  it("gives each URL its own answer although it keeps the last one", () => {
    expect(plainTarget("http://a.test/%41")).toMatchObject({ ok: true, value: { path: "/A", isAsSent: false } });
    expect(plainTarget("http://b.test/b")).toMatchObject({ ok: true, value: { host: "b.test", path: "/b" } });
    expect(plainTarget("http://b.test//")).toEqual({ ok: false, reason: "empty_segment" });
    expect(plainTarget("http://a.test/%41")).toMatchObject({ ok: true, value: { host: "a.test", path: "/A" } });
  });

  it.each(["http://1.2.3.4.5/", "http://a..b:99999/", "http:///x/y"])("refuses the site of %s", (url) => {
    expect(plainTarget(url)).toEqual({ ok: false, reason: "site" });
  });

  it("has a bound that holds for the escaped form too", () => {
    const fits = `http://a.test/${"a".repeat(TARGET_LENGTH_MAX - 1)}`;
    expect(plainTarget(fits).ok).toBe(true);
    expect(plainTarget(`${fits}a`)).toEqual({ ok: false, reason: "too_long" });
    expect(plainTarget(`http://a.test/?${"é".repeat(2_000)}`)).toEqual({ ok: false, reason: "too_long" });
  });
});
