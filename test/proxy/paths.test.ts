import { describe, expect, it } from "vitest";
import { EDGE_RUNTIME } from "../../kit/start-edge.ts";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";
import { rawGet, sendRaw } from "./raw-http.ts";

const { edge, origin } = await edgeBeforeOrigin();

function problemCode(body: Buffer): unknown {
  return JSON.parse(body.toString()).code;
}

/** Targets that workerd's parser passes or repairs; Node's refuses them or leaves them unchanged. */
const PLAIN_ONLY_HERE: [string, string, string][] =
  EDGE_RUNTIME === "worker"
    ? [
        ["/caf\xc3\xa9", "/caf%C3%A9", "raw UTF-8 is escaped"],
        ["/\xf0\x9f\x98\x80", "/%F0%9F%98%80", "raw UTF-8 beyond the basic plane"],
        ["/a/../b", "/b", "workerd itself resolves plain dot segments before we see them"],
        ["/x?q=\xc3\xa9", "/x?q=%C3%A9", "raw UTF-8 in the query is escaped"],
        // The one place where a query changes: a rewritten URL passes the platform's parser, which escapes these four.
        [`/%61?q='"<>`, "/a?q=%27%22%3C%3E", "quotes in the query of a rewritten URL are escaped"],
      ]
    : [[`/%61?q='"<>`, `/a?q='"<>`, "the query stays byte for byte"]];
const REFUSED_ONLY_HERE: [string][] =
  EDGE_RUNTIME === "worker" ? [] : [["/a/../b"], ["/."], ["/caf\xc3\xa9"], ["/x?q=\xc3\xa9"]];

describe("a request target", () => {
  it.each([
    ["/"],
    ["/trade/orders"],
    ["/Trade/Orders"],
    ["/trade/"],
    ["/a.b/..c/d..e/...f"],
    ["/-._~!$&'()*+,=:@"],
    ["/%3B%20%22%3C%3E%5B%5D%7B%7C%7D%5E%60%23%3F"],
    ["/caf%C3%A9/%F0%9F%98%80"],
    ["/%25/100%25"],
    ["/?"],
    ["/x?"],
    ["/x??a=?"],
    ["/x?a=1&a=2&b"],
    ["/x?q=it's"],
    [`/x?q="<>'`],
    ["/x?q=\\{}|^`[]"],
    ["/x?q=%zz%"],
    ["/x?q=%2e%2E%2f..//;"],
    ["/x?next=https://other.test//y;z"],
    [`/${"a".repeat(4_000)}?${"b".repeat(4_000)}`],
  ])("reaches the origin byte for byte: %s", async (target) => {
    const response = await sendRaw(edge.port, rawGet(target));
    expect(response.status).toBe(200);
    expect(origin.requests.map(({ url }) => url)).toEqual([target]);
  });

  it.each([
    ["/%61%2Db", "/a-b", "an escaped unreserved character is the character"],
    ["/%7euser", "/~user", "an escaped tilde"],
    ["/caf%c3%a9", "/caf%C3%A9", "hex digits are capitals"],
    [`/a"<>b`, "/a%22%3C%3Eb", "characters that no URI may hold are escaped"],
    ["/{a}|^`[b]", "/%7Ba%7D%7C%5E%60%5Bb%5D", "brackets are escaped"],
    ["/%61?q=%zz&b=1", "/a?q=%zz&b=1", "the query stays when the path is rewritten"],
    ...PLAIN_ONLY_HERE,
  ])("reaches the origin in its plain spelling: %s as %s (%s)", async (target, plain) => {
    const response = await sendRaw(edge.port, rawGet(target));
    expect(response.status).toBe(200);
    expect(origin.requests.map(({ url }) => url)).toEqual([plain]);
  });

  it.each([
    ["//trade"],
    ["/trade//x"],
    ["//"],
    ["//evil.test/x"],
    ["/trade%2fx"],
    ["/trade%2Fx"],
    ["/x/..%2ftrade/x"],
    ["/%2e%2e/x"],
    ["/x/%2E%2e/trade"],
    ["/.%2e/x"],
    ["/%2e/x"],
    ["/x/%2e"],
    ["/a%5cb"],
    ["/a\\b"],
    ["/\\evil.test"],
    ["/trade;/x"],
    ["/trade;jsessionid=1"],
    ["/a%00b"],
    ["/%0a"],
    ["/%0d%0aset-cookie:x"],
    ["/%1f"],
    ["/%7f"],
    ["/a\x01b"],
    ["/a\x7fb"],
    ["/%"],
    ["/%4"],
    ["/%zz"],
    ["/%c0%ae%c0%ae/x"],
    ["/%c0%af"],
    ["/%e0%80%af"],
    ["/%f0%80%80%af"],
    ["/%ed%a0%80"],
    ["/%ff"],
    ["/caf%c3"],
    ["/caf\xe9"],
    ["/%252e%252e/x"],
    ["/%252fx"],
    ["/%255c"],
    ["/%2500"],
    ["/%253b"],
    ["/%25252f"],
    ["/%25%32%66"],
    ["/%25c0%25ae"],
    ["/x#fragment"],
    ["/x?a#fragment"],
    ["/x?a=\x01"],
    ["/x?a=\x7f"],
    ["/x?a=\xff"],
    ...REFUSED_ONLY_HERE,
  ])("is refused when servers could read it in two ways: %j", async (target) => {
    const response = await sendRaw(edge.port, rawGet(target));
    expect(response.status).toBe(400);
    expect(problemCode(response.body)).toBe("path_not_plain");
    expect(response.headers.get("content-type")).toEqual(["application/problem+json"]);
    expect(response.headers.get("x-request-id")?.[0]).toMatch(/^[\w-]{22}$/);
    expect(origin.requests).toEqual([]);
  });

  it.each([
    ["64 kB of path", `/${"a".repeat(65_536)}`],
    ["64 kB of query", `/?${"a".repeat(65_536)}`],
    ["one character too many", `/${"a".repeat(8_192)}`],
    ["what is too long once it is escaped", `/${"[".repeat(3_000)}`],
  ])("is refused as too long: %s", async (_what, target) => {
    const response = await sendRaw(edge.port, rawGet(target));
    expect(response.status).toBe(414);
    expect(problemCode(response.body)).toBe("url_too_long");
    expect(origin.requests).toEqual([]);
  });

  it("may be 8 KiB long", async () => {
    const target = `/${"a".repeat(8_191)}`;
    expect((await sendRaw(edge.port, rawGet(target))).status).toBe(200);
    expect(origin.requests.map(({ url }) => url)).toEqual([target]);
  });

  it.each([["*"], ["http://other.test/abs"], ["?x"], ["trade"]])(
    "never reaches the origin in another form than a path: %s",
    async (target) => {
      const response = await sendRaw(edge.port, rawGet(target));
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(origin.requests).toEqual([]);
    },
  );
});

describe("the paths of Sluice itself", () => {
  it.each([
    ["/_sluice"],
    ["/_sluice/"],
    ["/_sluice/unknown"],
    ["/_sluice/health/x"],
    ["/_SLUICE/health"],
    ["/_Sluice"],
    ["/%5fsluice/unknown"],
    ["/_%73luice/unknown"],
    ["/_sluice/%75nknown"],
  ])("are never forwarded: %s is 404", async (target) => {
    const response = await sendRaw(edge.port, rawGet(target));
    expect(response.status).toBe(404);
    expect(problemCode(response.body)).toBe("not_found");
    expect(response.headers.get("x-request-id")?.[0]).toMatch(/^[\w-]{22}$/);
    expect(origin.requests).toEqual([]);
  });

  it.each([
    ["/_sluice%2fhealth"],
    ["//_sluice/health"],
    ["/_sluice//health"],
    ["/_sluice;/health"],
    ["/x/%2e%2e/_sluice/health"],
  ])("cannot be reached by a spelling that is not plain: %s is 400", async (target) => {
    const response = await sendRaw(edge.port, rawGet(target));
    expect(response.status).toBe(400);
    expect(origin.requests).toEqual([]);
  });

  it("do not match a longer name with the same beginning", async () => {
    expect((await sendRaw(edge.port, rawGet("/_sluicegate"))).status).toBe(200);
    expect(origin.requests.map(({ url }) => url)).toEqual(["/_sluicegate"]);
  });

  it("answer with the request's id and never forward, whatever the method", async () => {
    const response = await sendRaw(
      edge.port,
      "POST /_sluice/health HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 2\r\n\r\nab",
    );
    expect(response.status).toBe(404);
    expect(response.headers.get("x-request-id")).toHaveLength(1);
    expect(origin.requests).toEqual([]);
  });
});
