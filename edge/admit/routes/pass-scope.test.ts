import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../kit/random.ts";
import type { QueueId } from "../../../shared/queue-id.ts";
import { type Pass, passClaimsSchema, SCOPE_BYTES_MAX } from "../../../shared/tokens/admission.ts";
import { createPassScopes, leadsTo } from "./pass-scope.ts";
import { createRouteTable } from "./route-table.ts";

const passWith = (scope: Pass["scope"]) => ({ scope }) as Pass;
const scopeOf = (queueId: string, routes: Parameters<typeof createPassScopes>[0]) =>
  createPassScopes(routes)(queueId as QueueId);
const route = (address: string, queueId: string) => {
  const pathStart = address.indexOf("/");
  return { host: address.slice(0, pathStart), path: address.slice(pathStart), queueId };
};

const HOSTS: readonly [string, ...string[]] = [
  "*",
  "*.test",
  "*.shop.test",
  "shop.test",
  "www.shop.test",
  "www.shop.test:8443",
  "*.shop.test:8443",
];
const PATHS: readonly [string, ...string[]] = [
  "/*",
  "/a",
  "/a*",
  "/a/*",
  "/A/b",
  "/a/b/*",
  "/ä/*",
  "/ſ/*",
  "/s/*",
  "/a%3Bx/*",
  "/b",
];
const SITES = ["x.test", "shop.test", "www.shop.test", "www.shop.test:8443", "a.www.shop.test:8443", "other"].map(
  (host) => `http://${host}`,
);
const TARGETS = ["/", "/a", "/a/", "/ab", "/A/B", "/a/b/c", "/%C3%A4/x", "/%C5%BF/x", "/S/x", "/a/x", "/b", "/c"];

describe("the scope of a pass", () => {
  it("answers for every address as the whole table does, on a thousand random tables", () => {
    let answers = 0;
    for (let seed = 1; seed <= 1_000; seed++) {
      const { pick } = seededRandom(seed);
      const routes = Array.from({ length: 6 }, () => ({
        host: pick(HOSTS),
        path: pick(PATHS),
        queueId: pick(["own", "b", "c"]),
      }));
      const table = createRouteTable(routes);
      const scope = scopeOf("own", routes);
      expect(scope === undefined).toBe(!routes.some(({ queueId }) => queueId === "own"));
      for (const site of SITES) {
        for (const path of TARGETS) {
          const isOwn = table.find({ site, path })?.queueId === "own";
          if (isOwn) answers++;
          expect(leadsTo(passWith(scope), { site, path }), `${seed}: ${site}${path} ${JSON.stringify(routes)}`).toBe(
            isOwn,
          );
        }
      }
    }
    expect(answers).toBeGreaterThan(10_000);
  });

  it("names the routes of its queue, and only those others that could match first", () => {
    const routes = [route("*/*", "venue"), route("*/demo/*", "demo"), route("a.test/x", "a"), route("b.test/*", "b")];
    expect(scopeOf("venue", routes)).toEqual(["!a.test/x", "!b.test/*", "!*/demo/*", "*/*"]);
    expect(scopeOf("demo", routes)).toEqual(["!b.test/*", "*/demo/*"]);
    expect(scopeOf("a", routes)).toEqual(["a.test/x"]);
  });

  it("is omitted where no route leads to the queue, and where it would be too long", () => {
    expect(scopeOf("nowhere", [route("*/*", "venue")])).toBeUndefined();
    const many = Array.from({ length: 200 }, (_, index) => route(`*/path-${index}/*`, "other"));
    expect(scopeOf("venue", [...many, route("*/*", "venue")])).toBeUndefined();
    expect(scopeOf("venue", [route(`*/${"ä".repeat(SCOPE_BYTES_MAX / 2)}`, "venue")])).toBeUndefined();
    expect(leadsTo(passWith(undefined), { site: "http://x.test", path: "/" })).toBe(false);
  });

  it("is a claim that both sides can read, for every allowed route", () => {
    for (const host of HOSTS) {
      for (const path of PATHS) {
        const scope = scopeOf("own", [{ host, path, queueId: "own" }, route("*/a/hidden", "other")]);
        expect(passClaimsSchema.shape.scope.safeParse(scope).success, `${host}${path}`).toBe(true);
      }
    }
  });
});
