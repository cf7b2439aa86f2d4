import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import type { BypassRule } from "../../edge/line/bypass-rule.ts";
import { rawGet, sendRaw } from "../proxy/raw-http.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until } from "./visitor.ts";

const stack = await startGateStack();
const { origin, url, edges } = stack;
const port = edges[0]?.port ?? 0;
const SECRET = "probe-secret-0123456789";
const secretSha256 = createHash("sha256").update(SECRET).digest("hex");

// Only a bypass rule lets requests in.
await stack.setQueue("hall", { mode: "paused" });
await stack.setQueue("private", { mode: "paused" });

let tables = 0;

/** Comes back when the edge goes by these rules: the header that only this table names no longer reaches the origin. */
async function bypass(...rules: readonly Partial<BypassRule>[]): Promise<void> {
  const name = `x-table-${tables++}`;
  const routes = [
    { host: "*", path: "/hall/*", queueId: "hall" },
    { host: "*", path: "/hall/assets/private/*", queueId: "private" },
  ];
  const marker = { path: "/never", header: { name, secretSha256 } };
  await stack.setRoutes(
    routes,
    [...rules, marker].map((rule) => ({ host: "*", ...rule })),
  );
  await until(async () => {
    await createVisitor(url).get("/elsewhere", { [name]: "x" });
    return origin.requests.at(-1)?.headers.has(name) === false;
  });
  origin.reset();
}

beforeEach(() => origin.reset());

const stateOf = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const seen = await createVisitor(url).get(path, { ...JSON_PLEASE, ...headers });
  return seen.json["url"] === undefined ? (seen.json["state"] ?? seen.json["code"]) : "forwarded";
};

describe("a bypass by path", () => {
  it("carries an open pass to the origin, gives the visitor none, and holds in every mode", async () => {
    await bypass({ path: "/hall/health" }, { path: "/hall/assets/*" });
    const visitor = createVisitor(url);
    const seen = await visitor.get("/hall/health?deep=1");
    expect([seen.status, seen.json["url"], visitor.cookies.size]).toEqual([200, "/hall/health?deep=1", 0]);
    const pass = decodeJwt(origin.requests.at(-1)?.headers.get("x-sluice-pass")?.[0] ?? "");
    expect([pass.sub, pass.aud]).toEqual(["open", "sluice:pass:hall"]);
    expect((await visitor.send("POST", "/hall/assets/upload", {}, "x")).json["method"]).toBe("POST");
    expect(await stateOf("/hall/page")).toBe("waiting");
  });

  it("yields to a more specific route", async () => {
    await bypass({ path: "/hall/assets/*" });
    expect(await stateOf("/hall/assets/logo.svg")).toBe("forwarded");
    expect(await stateOf("/hall/assets/private/x")).toBe("waiting");
    expect(await stateOf("/hall/assets/private")).toBe("waiting");
  });

  it("applies only to its host", async () => {
    await bypass({ host: "status.test", path: "/hall/status" }, { host: "*.probe.test", path: "/hall/status" });
    const statusAt = async (host: string) => {
      origin.reset();
      await sendRaw(port, rawGet("/hall/status").replace("shop.test", host));
      return origin.requests.length;
    };
    expect(await statusAt("status.test")).toBe(1);
    expect(await statusAt("STATUS.test.")).toBe(1);
    expect(await statusAt("a.probe.test")).toBe(1);
    for (const host of ["shop.test", "status.test.evil.test", "evil-status.test", "probe.test", "evilprobe.test"]) {
      expect([host, await statusAt(host)]).toEqual([host, 0]);
    }
  });

  const tries = [
    ...[
      "/hall/healthy",
      "/hall/health/",
      "/hall/health/x",
      "/hall/HEALTH",
      "/hall/Assets/x",
      "/hall/assets",
      "/hall/assetsx",
      "//hall/assets/x",
    ],
    ...[
      "/hall/assets/../page",
      "/hall/assets/%2e%2e/page",
      "/hall/assets/..%2fpage",
      "/hall/assets/.%2e/page",
      "/hall/assets/..;/page",
    ],
    ...[
      "/hall/assets/..%3b/page",
      "/hall/assets;/../page",
      "/hall/assets/%252e%252e/page",
      "/hall/assets/%25%32%65/page",
      "/hall/assets/x%5c..%5cpage",
    ],
    ...[
      "/hall/assets\\..\\page",
      "/hall/assets/%c0%ae%c0%ae/page",
      "/hall/assets/%e2%80%a5/page",
      "/hall/assets/%ef%bc%8e%ef%bc%8e%ef%bc%8fpage",
    ],
    ...[
      "/hall/assets%2fx",
      "/hall/health%00",
      "/hall/health%0a",
      "/hall/health%20",
      "/hall/health%3fx",
      "/hall/health%23x",
      "/hall/health;x",
    ],
    ...[
      "/hall/page?/../assets/x",
      "/hall/page?path=/hall/health",
      "/hall/./health/../page",
      "/x/../hall/page",
      "/hall/health/..",
      "/hall/%61ssets%2f..%2fpage",
    ],
  ];

  it("cannot be stretched by any other spelling, whatever the origin makes of it", async () => {
    await bypass({ path: "/hall/health" }, { path: "/hall/assets/*" });
    for (const target of tries) {
      origin.reset();
      const response = await sendRaw(port, rawGet(target, ["Accept: application/json"]));
      expect([target, response.status < 500]).toEqual([target, true]);
      // workerd resolves some of these before we see them; then only the resolved path reaches the origin.
      for (const { url: reached } of origin.requests)
        expect([target, reached]).toEqual([target, expect.stringMatching(/^\/hall\/assets\/[^/%]*$/)]);
    }
    const lines = [
      "X-Original-URL: /hall/health",
      "X-Rewrite-URL: /hall/health",
      "X-Forwarded-Prefix: /hall/assets",
      "Referer: http://shop.test/hall/assets/x",
    ];
    origin.reset();
    for (const line of lines) expect((await sendRaw(port, rawGet("/hall/page", [line]))).status).toBe(200);
    expect(origin.requests).toEqual([]);
  });

  it("applies to its exact spelling, escapes included", async () => {
    await bypass({ path: "/hall/caf%C3%A9/*" });
    expect(await stateOf("/hall/café/x%20y")).toBe("forwarded");
    expect(await stateOf("/hall/caf%c3%a9/x")).toBe("forwarded");
    expect(await stateOf("/hall/CAF%C3%89/x")).toBe("waiting");
  });
});

describe("a bypass by network", () => {
  const forged = [
    "x-forwarded-for",
    "x-real-ip",
    "cf-connecting-ip",
    "true-client-ip",
    "x-client-ip",
    "forwarded",
    "client-ip",
  ];

  it("uses the address of the connection, and no claim of the client", async () => {
    await bypass({ cidrs: ["203.0.113.0/24", "2001:db8::/32"] });
    expect(await stateOf("/hall/page")).toBe("waiting");
    for (const name of forged) {
      const value = name === "forwarded" ? "for=203.0.113.7" : "203.0.113.7";
      expect([name, await stateOf("/hall/page", { [name]: value })]).toEqual([name, "waiting"]);
    }
    expect(origin.requests).toEqual([]);
  });

  it("admits clients from the network, also for a more specific queue, and only on the named path", async () => {
    await bypass({ cidrs: ["127.0.0.0/8"], path: "/hall/assets/*" });
    expect(await stateOf("/hall/assets/private/x")).toBe("forwarded");
    expect(await stateOf("/hall/page")).toBe("waiting");
    await bypass({ cidrs: ["10.0.0.0/8", "127.0.0.1/32"] });
    expect(await stateOf("/hall/page")).toBe("forwarded");
  });

  it("uses the address that the trusted network in front reports, where that is configured", async () => {
    const edge = await stack.startEdge({ variables: { CLIENT_ADDRESS_FROM: "cloudflare" } });
    await bypass({ cidrs: ["203.0.113.0/24", "2001:db8::/32"] });
    const stateFrom = async (address: string) =>
      (await createVisitor(edge.url).get("/hall/page", { ...JSON_PLEASE, "cf-connecting-ip": address })).json["url"] !==
      undefined;
    await until(() => stateFrom("203.0.113.7"));
    expect(await stateFrom("2001:DB8::1")).toBe(true);
    expect(await stateFrom("::ffff:203.0.113.7")).toBe(true);
    for (const address of [
      "203.0.114.1",
      "2001:db9::1",
      "203.0.113.7, 10.0.0.1",
      "203.0.113",
      "::203.0.113.7",
      "203.0.113.07",
    ]) {
      expect([address, await stateFrom(address)]).toEqual([address, false]);
    }
  });
});

describe("a bypass by a secret in a header", () => {
  it("needs only the secret, and the origin never sees it, right or wrong, here or on a page without a queue", async () => {
    await bypass({ header: { name: "x-probe-key", secretSha256 } });
    const wrong = [
      "",
      SECRET.slice(1),
      `${SECRET}x`,
      SECRET.toUpperCase(),
      secretSha256,
      `${SECRET}, ${SECRET}`,
      "x".repeat(5_000),
    ];
    for (const value of wrong) expect(await stateOf("/hall/page", { "x-probe-key": value })).toBe("waiting");
    for (const name of ["x-probe", "x_probe_key", "authorization", "cookie"])
      expect(await stateOf("/hall/page", { [name]: SECRET })).toBe("waiting");
    expect(origin.requests).toEqual([]);
    expect(await stateOf("/hall/page", { "X-Probe-Key": SECRET })).toBe("forwarded");
    await createVisitor(url).get("/elsewhere", { "x-probe-key": SECRET });
    await createVisitor(url).get("/elsewhere", { "x-probe-key": "wrong" });
    expect(origin.requests.map((request) => [request.url, request.headers.has("x-probe-key")])).toEqual([
      ["/hall/page", false],
      ["/elsewhere", false],
      ["/elsewhere", false],
    ]);
    expect(await stateOf("/hall/page")).toBe("waiting");
  });

  it("may use the header that is ours, and counts together with what else the rule names", async () => {
    await bypass({ path: "/hall/health", header: { name: "x-sluice-bypass", secretSha256 } });
    expect(await stateOf("/hall/health", { "x-sluice-bypass": SECRET })).toBe("forwarded");
    expect(origin.requests.at(-1)?.headers.has("x-sluice-bypass")).toBe(false);
    expect(await stateOf("/hall/health")).toBe("waiting");
    expect(await stateOf("/hall/page", { "x-sluice-bypass": SECRET })).toBe("waiting");
  });
});
