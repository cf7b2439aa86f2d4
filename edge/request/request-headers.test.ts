import { describe, expect, it } from "vitest";
import { type ForwardingFacts, isGuardedName, requestHeaders } from "./request-headers.ts";

const FACTS: ForwardingFacts = { requestId: "id", host: "shop.test", protocol: "https", clientAddress: "198.51.100.7" };

function forwarded(sent: Record<string, string>, facts: ForwardingFacts = FACTS): Record<string, string> | string {
  const headers = requestHeaders(new Headers(sent), facts);
  return headers.ok ? Object.fromEntries(headers.value) : headers.reason;
}

const SET_BY_EDGE = {
  "x-request-id": "id",
  "x-forwarded-host": "shop.test",
  "x-forwarded-proto": "https",
  "x-forwarded-for": "198.51.100.7",
};

describe("requestHeaders", () => {
  it("adds the edge's own headers", () => {
    expect(forwarded({ accept: "*/*" })).toEqual({ accept: "*/*", ...SET_BY_EDGE });
  });

  it("omits the address when the platform does not know it, instead of the client's claim", () => {
    const headers = forwarded({ "x-forwarded-for": "203.0.113.9" }, { ...FACTS, clientAddress: undefined });
    expect(headers).not.toHaveProperty("x-forwarded-for");
  });

  it("does not change the request's own headers", () => {
    const sent = new Headers({ "x-forwarded-for": "203.0.113.9", connection: "x-a", "x-a": "1" });
    requestHeaders(sent, FACTS);
    expect([...sent.keys()]).toEqual(["connection", "x-a", "x-forwarded-for"]);
  });

  it("lets an upgrade to WebSocket pass, and no other", () => {
    expect(forwarded({ upgrade: "WebSocket", connection: "Upgrade" })).toEqual({
      upgrade: "WebSocket",
      ...SET_BY_EDGE,
    });
    expect(forwarded({ upgrade: "websocket, h2c", connection: "keep-alive, Upgrade" })).toEqual(SET_BY_EDGE);
  });

  it.each<Record<string, string>>([
    { "content-length": "1", "transfer-encoding": "chunked" },
    { "transfer-encoding": "chunked, chunked" },
    { "transfer-encoding": "identity" },
    { connection: "cookie" },
    { connection: "sec-websocket-key" },
    { connection: "a b" },
  ])("refuses %j", (sent) => {
    expect(forwarded(sent)).toBe("request_ambiguous");
  });
});

describe("isGuardedName", () => {
  it("stays right after more names than its cache holds", () => {
    for (let i = 0; i < 2_000; i++) {
      expect(isGuardedName(`x-sluice-${i}`)).toBe(true);
      expect(isGuardedName(`x-own-${i}`)).toBe(false);
    }
    expect(isGuardedName("x-forwarded-for")).toBe(true);
    expect(isGuardedName("accept")).toBe(false);
  });

  it.each(["sluice-pass", "x-slu-ice", "forward", "x-requested-with", "viable", "cfoo", "tea"])(
    "does not take %s for one of them",
    (name) => {
      expect(isGuardedName(name)).toBe(false);
    },
  );
});
