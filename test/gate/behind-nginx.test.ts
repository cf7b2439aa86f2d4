import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startNginx } from "../../kit/nginx.ts";
import { sendRequest } from "../../kit/send-request.ts";
import { startGateStack } from "./gate-stack.ts";

/**
 * Real nginx with TLS in front of the gate. Visitors come from several addresses of this machine; nginx connects from
 * 127.0.0.1.
 */
const JOINS_AT_ONCE = 20;
const stack = await startGateStack({ variables: { TRUSTED_PROXIES: "127.0.0.1/32", SLUICE_JOINS_PER_ADDRESS: "1" } });
const { origin } = stack;
await stack.setQueue("shop");
await stack.setQueue("full", { mode: "paused", ticketsPerIp: 1 });
const nginx = await startNginx({ gatePort: stack.edges[0]?.port ?? 0 });
afterAll(() => nginx.stop());
beforeEach(() => origin.reset());

type Answer = { readonly status: number; readonly cookies: readonly string[]; readonly code: string | undefined };

async function visit(from: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const answer = await sendRequest(`https://127.0.0.1:${nginx.port}${path}`, {
    localAddress: from,
    rejectUnauthorized: false,
    agent: false,
    headers: { host: "shop.test", accept: "application/json", ...headers },
  });
  const { code } = JSON.parse(answer.text) as { code?: string };
  return { status: answer.status, cookies: answer.headers.getSetCookie(), code };
}

const told = (name: string) => origin.requests[0]?.headers.get(name)?.join();

describe("behind nginx with TLS", () => {
  it("cookies are Secure and __Host-, and are read again", async () => {
    const first = await visit("127.0.0.5", "/shop/");
    expect(first.status).toBe(200);
    const cookie = first.cookies.find((line) => line.startsWith("__Host-sluice-pass-shop=")) ?? "";
    expect(cookie.split("; ")).toEqual(expect.arrayContaining(["Secure", "HttpOnly", "Path=/"]));
    const again = await visit("127.0.0.5", "/shop/", { cookie: cookie.split(";")[0] ?? "" });
    // The pass was read: the session is claimed and continues under the same id.
    const renewed = again.cookies.filter((line) => line.startsWith("__Host-sluice-pass-shop="));
    expect([again.status, again.cookies.length]).toEqual([200, renewed.length]);
    expect(told("x-sluice-pass")).toBe(cookie.split(";")[0]?.split("=")[1]);
  });

  it("the origin is told https, the visitor's host and the visitor's address", async () => {
    await visit("127.0.0.5", "/shop/", { host: "www.shop.test" });
    expect([told("x-forwarded-proto"), told("x-forwarded-host"), told("x-forwarded-for")]).toEqual([
      "https",
      "www.shop.test",
      "127.0.0.5",
    ]);
    expect(told("host")).toBe("www.shop.test");
  });

  it("a visitor cannot send another address, protocol or host along", async () => {
    const lies = {
      "x-forwarded-for": "6.6.6.6, 127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": "evil.test",
      forwarded: "for=7.7.7.7",
    };
    expect((await visit("127.0.0.5", "/shop/", lies)).status).toBe(200);
    expect([told("x-forwarded-proto"), told("x-forwarded-host"), told("x-forwarded-for")]).toEqual([
      "https",
      "shop.test",
      "127.0.0.5",
    ]);
  });

  it("limits per address are the visitor's own", async () => {
    expect((await visit("127.0.0.6", "/full/")).code).not.toBe("address_limit");
    const second = await visit("127.0.0.6", "/full/");
    expect([second.status, second.code]).toEqual([429, "address_limit"]);
    expect((await visit("127.0.0.7", "/full/")).code).not.toBe("address_limit");
    const flood = await Promise.all(Array.from({ length: 2 * JOINS_AT_ONCE }, () => visit("127.0.0.8", "/shop/")));
    expect(flood.filter(({ code }) => code === "rate_limited").length).toBeGreaterThanOrEqual(JOINS_AT_ONCE / 2);
    expect((await visit("127.0.0.9", "/shop/")).status).toBe(200);
  });
});
