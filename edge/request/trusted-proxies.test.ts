import { describe, expect, it } from "vitest";
import { type IpRange, parseRange } from "../../shared/net/ip-range.ts";
import { type Claims, claimsOfProxies } from "./trusted-proxies.ts";

const trusted: readonly IpRange[] = ["10.0.0.0/8", "2001:db8:aaaa::/48"].flatMap((text) => {
  const range = parseRange(text);
  return range.ok ? [range.value] : [];
});

function read(peer: string | undefined, headers: Record<string, string>): Claims | "contradictory" {
  const read = claimsOfProxies({ peer, trusted, header: (name) => headers[name] ?? null });
  return read.ok ? read.value : "contradictory";
}

describe("claims of trusted proxies", () => {
  it.each<[string, Record<string, string>, Partial<Claims>]>([
    ["one address", { "x-forwarded-for": "192.0.2.1" }, { address: "192.0.2.1" }],
    [
      "the rightmost address that is not a proxy of ours",
      { "x-forwarded-for": "6.6.6.6, 192.0.2.1, 10.0.0.7" },
      { address: "192.0.2.1" },
    ],
    ["a proxy's own request", { "x-forwarded-for": "10.0.0.9, 10.0.0.7" }, { address: "10.0.0.9" }],
    ["an address with a port", { "x-forwarded-for": "192.0.2.1:4711" }, { address: "192.0.2.1" }],
    ["an IPv6 address with a port", { "x-forwarded-for": "[2001:db8::7]:4711" }, { address: "2001:db8::7" }],
    ["a proxy over IPv6", { "x-forwarded-for": "2001:db8::7, 2001:db8:aaaa::1" }, { address: "2001:db8::7" }],
    ["no address behind one that is hidden", { "x-forwarded-for": "192.0.2.1, unknown" }, { address: undefined }],
    ["no address from an empty entry", { "x-forwarded-for": "192.0.2.1, " }, { address: undefined }],
    ["nothing", {}, { address: "10.0.0.1" }],
    ["https", { "x-forwarded-proto": "https" }, { address: "10.0.0.1", protocol: "https" }],
    ["HTTPS for a WebSocket", { "x-forwarded-proto": "WSS" }, { address: "10.0.0.1", protocol: "https" }],
    ["no protocol that is not one", { "x-forwarded-proto": "gopher" }, { address: "10.0.0.1" }],
    ["a host", { "x-forwarded-host": "shop.test:8443" }, { address: "10.0.0.1", host: "shop.test:8443" }],
    [
      "of lists, what the proxy said that met the visitor",
      {
        "x-forwarded-for": "6.6.6.6, 192.0.2.1, 10.0.0.7",
        "x-forwarded-proto": "http, https, http",
        "x-forwarded-host": "evil.test, shop.test, inside.test",
      },
      { address: "192.0.2.1", protocol: "https", host: "shop.test" },
    ],
    [
      "of lists of other lengths, what the nearest proxy said",
      {
        "x-forwarded-for": "192.0.2.1",
        "x-forwarded-proto": "http, https",
        "x-forwarded-host": "evil.test, shop.test",
      },
      { address: "192.0.2.1", protocol: "https", host: "shop.test" },
    ],
    [
      "Forwarded",
      { forwarded: "for=192.0.2.1;proto=https;host=shop.test" },
      { address: "192.0.2.1", protocol: "https", host: "shop.test" },
    ],
    [
      "Forwarded with quotes, in any case and order",
      { forwarded: 'By=_x; Host="shop.test:8443" ;PROTO=HTTPS;For="[2001:db8::7]:4711"' },
      { address: "2001:db8::7", protocol: "https", host: "shop.test:8443" },
    ],
    [
      "Forwarded by several proxies",
      { forwarded: "for=6.6.6.6;host=evil.test;proto=http, for=192.0.2.1;proto=https, for=10.0.0.7;proto=http" },
      { address: "192.0.2.1", protocol: "https" },
    ],
    [
      "no address that is hidden in Forwarded",
      { forwarded: "for=192.0.2.1, for=_hidden;proto=https" },
      { address: undefined, protocol: "https" },
    ],
    ["a quoted comma", { forwarded: 'for="192.0.2.1";ext="a, for=6.6.6.6"' }, { address: "192.0.2.1" }],
    [
      "both kinds of headers that agree",
      {
        forwarded: "for=192.0.2.1;proto=https",
        "x-forwarded-for": "192.0.2.1",
        "x-forwarded-proto": "https",
        "x-forwarded-host": "Shop.test",
      },
      { address: "192.0.2.1", protocol: "https", host: "Shop.test" },
    ],
  ])("is %s", (_what, headers, expected) => {
    expect(read("10.0.0.1", headers)).toEqual({ protocol: undefined, host: undefined, ...expected });
  });

  it.each([
    ["another address", { forwarded: "for=6.6.6.6", "x-forwarded-for": "192.0.2.1" }],
    ["a hidden address", { forwarded: "for=unknown", "x-forwarded-for": "192.0.2.1" }],
    [
      "another protocol",
      { forwarded: "for=192.0.2.1;proto=http", "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https" },
    ],
    ["another host", { forwarded: "host=evil.test", "x-forwarded-host": "shop.test" }],
    ["text that cannot be read", { forwarded: "for" }],
    ["text that cannot be read", { forwarded: 'for="192.0.2.1' }],
    ["a parameter twice", { forwarded: "for=192.0.2.1;for=6.6.6.6" }],
    ["a host that is none", { "x-forwarded-host": "shop.test/evil" }],
    ["a host with a user", { forwarded: 'host="a@shop.test"' }],
  ])("is refused when one kind of header says %s", (_what, headers) => {
    expect(read("10.0.0.1", headers)).toBe("contradictory");
  });

  it.each(["192.0.2.9", "2001:db8:aaab::1", "not an address", undefined])("are ignored when the peer is %s", (peer) => {
    const headers = {
      "x-forwarded-for": "6.6.6.6",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "evil.test",
      forwarded: "for=7.7.7.7",
    };
    expect(read(peer, headers)).toEqual({ address: peer, protocol: undefined, host: undefined });
  });

  it("knows a peer that came over IPv4 to a socket for both families", () => {
    expect(read("::ffff:10.0.0.1", { "x-forwarded-for": "192.0.2.1" })).toMatchObject({ address: "192.0.2.1" });
  });
});
