import { describe, expect, it } from "vitest";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";
import { rawGet, sendRaw } from "./raw-http.ts";

const { edge, origin } = await edgeBeforeOrigin();

async function headersAtOrigin(lines: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const response = await sendRaw(edge.port, rawGet("/", lines));
  expect(response.status).toBe(200);
  expect(origin.requests).toHaveLength(1);
  return origin.requests[0]?.headers ?? new Map();
}

const FORWARDING_NAMES = [
  "Forwarded",
  "X-Forwarded",
  "X-Forwarded-By",
  "X-Forwarded-For-Original",
  "X-Forwarded-Port",
  "X-Forwarded-Prefix",
  "X-Forwarded-Scheme",
  "X-Forwarded-Server",
  "X-Forwarded-Ssl",
  "X-Forwarded-Path",
  "X-Forwarded-Uri",
  "X-Forward-For",
  "X-Real-IP",
  "X-Client-IP",
  "X-Cluster-Client-IP",
  "X-ProxyUser-Ip",
  "X-Remote-IP",
  "X-Remote-Addr",
  "X-Host",
  "X-HTTP-Host-Override",
  "X-Original-Host",
  "X-Original-URL",
  "X-Original-Forwarded-For",
  "X-Rewrite-URL",
  "X-Url-Scheme",
  "X-Envoy-External-Address",
  "X-Envoy-Original-Path",
  "X-Azure-ClientIP",
  "CF-Connecting-IP",
  "CF-Connecting-IPv6",
  "CF-IPCountry",
  "CF-Ray",
  "CF-Visitor",
  "CF-Worker",
  "CDN-Loop",
  "True-Client-IP",
  "Client-IP",
  "Fastly-Client-IP",
  "WL-Proxy-Client-IP",
  "Front-End-Https",
  "Remote-Addr",
  "Via",
];

describe("a header that a client may not send", () => {
  it.each(FORWARDING_NAMES)("never reaches the origin: %s, in any case, twice, or with underscores", async (name) => {
    const spellings = [name, name.toLowerCase(), name.toUpperCase(), name.replaceAll("-", "_"), name.replace("-", "_")];
    const headers = await headersAtOrigin([...spellings, name].map((spelling) => `${spelling}: 203.0.113.9`));
    expect([...headers.values()].flat().filter((value) => value.includes("203.0.113.9"))).toEqual([]);
  });

  it.each(["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Request-Id"])(
    "is replaced by what the edge says: %s",
    async (name) => {
      const headers = await headersAtOrigin([
        `${name}: forged`,
        `${name.toLowerCase()}: forged`,
        `${name.replaceAll("-", "_")}: forged`,
      ]);
      expect([...headers.values()].flat()).not.toContain("forged");
      expect(headers.get(name.toLowerCase())).toHaveLength(1);
      expect(headers.has(name.toLowerCase().replaceAll("-", "_"))).toBe(false);
    },
  );

  it.each([
    ["X-Sluice-Pass: forged"],
    ["x-sluice-pass: forged"],
    ["X-SLUICE-PASS: forged"],
    ["x_sluice_pass: forged"],
    ["X-Sluice_Pass: forged"],
    ["x_sluice-anything-else: forged"],
    ["x-sluice-: forged"],
  ])("is one of our own names: %s", async (line) => {
    const headers = await headersAtOrigin([line, line, `Connection: ${line.slice(0, line.indexOf(":"))}`]);
    expect([...headers.keys()].filter((name) => /sluice/.test(name))).toEqual([]);
  });

  it.each([
    ["Keep-Alive: timeout=5"],
    ["TE: trailers"],
    ["Trailer: x-sum"],
    ["Upgrade: h2c"],
    ["HTTP2-Settings: AAMAAABkAAQAAP__"],
    ["Proxy-Authorization: Basic eDp5"],
    ["Proxy-Authenticate: Basic"],
    ["Proxy-Connection: keep-alive"],
    ["Proxy: http://other.test"],
    ["Proxy-Anything: x"],
    ["Transfer_Encoding: chunked"],
    ["Expect: 100-continue"],
  ])("speaks about one connection only: %s", async (line) => {
    const name = line.slice(0, line.indexOf(":")).toLowerCase();
    const headers = await headersAtOrigin([line]);
    expect(headers.has(name)).toBe(false);
    expect(headers.has("connection") ? headers.get("connection") : ["keep-alive"]).toEqual(["keep-alive"]);
  });
});

describe("a header named in Connection", () => {
  it.each([
    ["Connection: x-private", "X-Private"],
    ["connection: keep-alive, X-PRIVATE", "x-private"],
    ["Connection: close,x-private , x-other", "X-Private"],
    ["Connection: keep-alive\r\nConnection: x-private", "X-Private"],
  ])("does not reach the origin: %j", async (connection, name) => {
    const headers = await headersAtOrigin([connection, `${name}: 1`, "X-Kept: 1"]);
    expect(headers.has("x-private")).toBe(false);
    expect(headers.get("x-kept")).toEqual(["1"]);
  });

  it.each([
    "host",
    "cookie",
    "authorization",
    "content-length",
    "content-type",
    "Content-Encoding",
    "origin",
    "range",
    "if-match",
    "cache-control",
  ])("makes the request ambiguous when it is for the origin by its standard: %s", async (name) => {
    const response = await sendRaw(
      edge.port,
      rawGet("/", [`Connection: close, ${name}`, "Cookie: a=1", "Authorization: Bearer x"]),
    );
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body.toString()).code).toBe("request_ambiguous");
    expect(origin.requests).toEqual([]);
  });

  it("cannot remove the edge's own headers", async () => {
    const headers = await headersAtOrigin([
      "Connection: x-request-id, x-forwarded-for, x-forwarded-host, x-forwarded-proto",
    ]);
    expect(headers.get("x-request-id")).toHaveLength(1);
    expect(headers.get("x-forwarded-for")).toEqual(["127.0.0.1"]);
    expect(headers.get("x-forwarded-host")).toEqual(["shop.test"]);
    expect(headers.get("x-forwarded-proto")).toEqual(["http"]);
  });

  it("is refused when it is no name, or one of very many", async () => {
    for (const value of ["a b", "x:y", "x\xe9", Array.from({ length: 40 }, (_, i) => `x-${i}`).join(",")]) {
      expect((await sendRaw(edge.port, rawGet("/", [`Connection: ${value}`]))).status).toBe(400);
    }
    expect(origin.requests).toEqual([]);
  });
});

describe("the edge's own headers", () => {
  it("is the peer's address, the host that was asked for, the protocol, and an id", async () => {
    await sendRaw(edge.port, "GET / HTTP/1.1\r\nHost: Shop.Test:8080\r\n\r\n");
    const headers = origin.requests[0]?.headers;
    expect(headers?.get("x-forwarded-for")).toEqual(["127.0.0.1"]);
    expect(headers?.get("x-forwarded-host")).toEqual(["Shop.Test:8080"]);
    expect(headers?.get("host")).toEqual(["shop.test:8080"]);
    expect(headers?.get("x-forwarded-proto")).toEqual(["http"]);
    expect(headers?.get("x-request-id")?.[0]).toMatch(/^[\w-]{22}$/);
  });

  it("has a new id for each request", async () => {
    for (let i = 0; i < 5; i++) await sendRaw(edge.port, rawGet("/", ["X-Request-Id: same"]));
    expect(new Set(origin.requests.map(({ headers }) => headers.get("x-request-id")?.[0])).size).toBe(5);
  });
});

describe("every other header", () => {
  it("passes as it came", async () => {
    const headers = await headersAtOrigin([
      "Accept: text/html;q=0.9, */*",
      "Accept-Encoding: zstd;q=1, br, identity;q=0",
      "Authorization: Bearer a.b.c",
      'Cookie: a=1; b="2,3"',
      "Origin: https://shop.test",
      "User-Agent: odd (agent) 1.0",
      "Priority: u=1",
      "X-Sluicegate: 1",
      "X-Empty:",
      "X-Bytes: caf\xe9",
      "under_score: 1",
      "Idempotency-Key: 7",
      "X-Http-Method-Override: PUT",
    ]);
    expect(headers.get("accept")).toEqual(["text/html;q=0.9, */*"]);
    expect(headers.get("accept-encoding")).toEqual(["zstd;q=1, br, identity;q=0"]);
    expect(headers.get("authorization")).toEqual(["Bearer a.b.c"]);
    expect(headers.get("cookie")).toEqual(['a=1; b="2,3"']);
    expect(headers.get("origin")).toEqual(["https://shop.test"]);
    expect(headers.get("user-agent")).toEqual(["odd (agent) 1.0"]);
    expect(headers.get("priority")).toEqual(["u=1"]);
    expect(headers.get("x-sluicegate")).toEqual(["1"]);
    expect(headers.get("x-empty")).toEqual([""]);
    expect(headers.get("x-bytes")).toEqual(["caf\xe9"]);
    expect(headers.get("under_score")).toEqual(["1"]);
    expect(headers.get("idempotency-key")).toEqual(["7"]);
    expect(headers.get("x-http-method-override")).toEqual(["PUT"]);
  });

  it("keeps the cookies of two Cookie lines apart", async () => {
    const headers = await headersAtOrigin(["Cookie: a=1; b=2", "Cookie: c=3"]);
    expect(headers.get("cookie")).toEqual(["a=1; b=2; c=3"]);
  });

  it("keeps a comma inside a cookie", async () => {
    const headers = await headersAtOrigin(['Cookie: when=Thu, 01 Jan; list=1,2, 3; json={"a": 1, "b": 2}']);
    expect(headers.get("cookie")).toEqual(['when=Thu, 01 Jan; list=1,2, 3; json={"a": 1, "b": 2}']);
  });
});
