import { describe, expect, it } from "vitest";
import { sendRequest } from "../../kit/send-request.ts";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";

/** The test is the proxy: it connects from an address in the list, or from another one of this machine. */
const { edge, origin } = await edgeBeforeOrigin({ TRUSTED_PROXIES: "127.0.0.2, 2001:db8::/32" });
const PROXY = "127.0.0.2";
const STRANGER = "127.0.0.3";

/** The origin's view of the visitor. */
async function told(from: string, headers: Readonly<Record<string, string>>, path = "/x") {
  origin.reset();
  const { status } = await sendRequest(`${edge.url}${path}`, {
    localAddress: from,
    headers: { host: "inside.test", ...headers },
  });
  const seen = origin.requests[0]?.headers;
  const value = (name: string) => seen?.get(name)?.join();
  return {
    status,
    address: value("x-forwarded-for"),
    protocol: value("x-forwarded-proto"),
    host: value("x-forwarded-host"),
    hostAsked: value("host"),
    forwarded: value("forwarded"),
    url: origin.requests[0]?.url,
  };
}

const VISITOR = {
  address: "192.0.2.1",
  protocol: "https",
  host: "shop.test",
  hostAsked: "shop.test",
  forwarded: undefined,
};

describe("behind a proxy of TRUSTED_PROXIES", () => {
  it("the origin is told the visitor's address, protocol and host", async () => {
    const headers = { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https", "x-forwarded-host": "shop.test" };
    expect(await told(PROXY, headers)).toMatchObject({ status: 200, ...VISITOR });
    expect(await told(PROXY, { forwarded: 'for="192.0.2.1:99";proto=https;host=shop.test' })).toMatchObject({
      status: 200,
      ...VISITOR,
    });
  });

  it("without X-Forwarded-Host the host is the one that the proxy asked for", async () => {
    const headers = { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https", host: "shop.test" };
    expect(await told(PROXY, headers)).toMatchObject({ status: 200, ...VISITOR });
  });

  it("a visitor cannot prepend another address", async () => {
    const headers = { "x-forwarded-for": "6.6.6.6, 192.0.2.1, 127.0.0.2" };
    expect(await told(PROXY, headers)).toMatchObject({ status: 200, address: "192.0.2.1", protocol: "http" });
  });

  it("two headers that contradict each other are refused", async () => {
    expect(await told(PROXY, { "x-forwarded-for": "192.0.2.1", forwarded: "for=6.6.6.6" })).toMatchObject({
      status: 400,
      url: undefined,
    });
    expect(await told(PROXY, { "x-forwarded-host": "shop.test/evil" })).toMatchObject({ status: 400, url: undefined });
  });

  it("a target that has to be escaped keeps its host", async () => {
    const headers = { "x-forwarded-host": "shop.test" };
    expect(await told(PROXY, headers, "/x?a='b'")).toMatchObject({ status: 200, hostAsked: "shop.test" });
    expect(await told(PROXY, headers, "/%7ex")).toMatchObject({ status: 200, hostAsked: "shop.test", url: "/~x" });
  });
});

describe("from any other address", () => {
  it.each([
    { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "https", "x-forwarded-host": "shop.test" },
    { forwarded: "for=192.0.2.1;proto=https;host=shop.test" },
    { "x-forwarded-for": "127.0.0.2" },
    { "x-forwarded-for": "6.6.6.6", forwarded: "for=7.7.7.7" },
    { forwarded: "nonsense" },
  ])("forwarding headers change nothing: %o", async (headers) => {
    const seen = {
      address: STRANGER,
      protocol: "http",
      host: "inside.test",
      hostAsked: "inside.test",
      forwarded: undefined,
    };
    expect(await told(STRANGER, headers as Record<string, string>)).toMatchObject({ status: 200, ...seen });
  });
});
