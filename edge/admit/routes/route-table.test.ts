import { describe, expect, it } from "vitest";
import { normalisePath } from "../../request/plain-target.ts";
import { createRouteTable } from "./route-table.ts";

const table = createRouteTable([
  { host: "*", path: "/*", queueId: "all" },
  { host: "*", path: "/trade/*", queueId: "trade" },
  { host: "*", path: "/trade/fast", queueId: "fast" },
  { host: "*.shop.test", path: "/*", queueId: "any-shop" },
  { host: "*.eu.shop.test", path: "/*", queueId: "eu-shop" },
  { host: "www.shop.test", path: "/sale*", queueId: "sale" },
  { host: "www.shop.test:8443", path: "/sale*", queueId: "sale-port" },
  { host: "www.shop.test", path: "/größe/*", queueId: "groesse" },
]);

const queueAt = (site: string, path: string) => table.find({ site, path })?.queueId;

describe("the route table", () => {
  it.each([
    ["http://x.test", "/", "all"],
    ["http://x.test", "/trade/x", "trade"],
    ["http://x.test", "/trade", "trade"],
    ["http://x.test", "/trade/", "trade"],
    ["http://x.test", "/trades", "all"],
    ["http://x.test", "/trade/fast", "fast"],
    ["http://x.test", "/trade/fast/", "fast"],
    ["http://x.test", "/trade/faster", "trade"],
    ["http://a.shop.test", "/trade/x", "any-shop"],
    ["http://shop.test", "/trade/x", "trade"],
    ["http://a.eu.shop.test", "/", "eu-shop"],
    ["http://www.shop.test", "/sale", "sale"],
    ["http://www.shop.test", "/sale-2", "sale"],
    ["http://www.shop.test:99", "/sale", "sale"],
    ["http://www.shop.test:8443", "/sale", "sale-port"],
    ["http://www.shop.test", "/other", "any-shop"],
  ])("leads %s%s to %s: the most specific wins", (site, path, queueId) => {
    expect(queueAt(site, path)).toBe(queueId);
  });

  it.each([
    ["http://WWW.Shop.TEST", "/SALE"],
    ["http://www.shop.test.", "/sale"],
    ["http://www.shop%2etest", "/sale"],
    ["http://www.shop.test", "/%73ale"],
    ["http://www.shop.test", "/s%41LE"],
    ["http://www.shop.test", "/ſale"],
    ["http://www.shop.test", "/ｓale"],
  ])("is not dodged by another spelling: %s%s", (site, raw) => {
    const path = normalisePath(raw);
    expect(path.ok && queueAt(site, path.value)).toBe("sale");
  });

  it.each(["/größe/x", "/gr%C3%B6%C3%9Fe/x", "/GR%C3%96%C3%9FE/x", "/GRÖSSE/x"])(
    "finds letters behind escapes: %s",
    (raw) => {
      const path = normalisePath(raw);
      expect(path.ok && queueAt("http://www.shop.test", path.value)).toBe("groesse");
    },
  );

  it("finds nothing where there is no route", () => {
    expect(createRouteTable([]).find({ site: "http://x.test", path: "/" })).toBeUndefined();
    expect(
      createRouteTable([{ host: "a.test", path: "/x", queueId: "q" }]).find({ site: "http://a.test", path: "/" }),
    ).toBeUndefined();
  });
});
