import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, sendRequest } from "../../kit/send-request.ts";
import { SETTINGS, startAdminGate } from "../admin/admin-gate.ts";

const gate = await startAdminGate();
const { call, token, url } = gate;
const NAVIGATION = { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" };

type Seen = Answer & { readonly body: Readonly<Record<string, unknown>> };
type SentHeaders = Readonly<Record<string, string>>;

let addresses = 0;

/** A browser's request without the token. Node's `fetch` would add its own headers, among them those in question. */
async function visit(method: string, path: string, headers: SentHeaders = {}, json?: unknown): Promise<Seen> {
  addresses++;
  const body = json === undefined ? "" : JSON.stringify(json);
  const all = { "content-type": "application/json", "content-length": String(body.length), ...headers };
  const answer = await sendRequest(`${url}/_sluice${path}`, {
    method,
    headers: { "cf-connecting-ip": `10.9.0.${addresses}`, ...all },
    body,
  });
  const isJson = /json/.test(answer.headers.get("content-type") ?? "");
  return { ...answer, body: isJson ? (JSON.parse(answer.text) as Seen["body"]) : {} };
}

async function signIn(): Promise<{ cookie: string; key: string; attributes: readonly string[] }> {
  const answer = await visit("POST", "/console/session", { origin: url }, { token });
  expect(answer.status).toBe(200);
  const [cookie = "", ...attributes] = (answer.headers.getSetCookie()[0] ?? "").split("; ");
  return { cookie, attributes, key: String(answer.body["key"]) };
}

beforeAll(async () => {
  expect((await call("POST", "/admin/queues", { json: { queueId: "launch", ...SETTINGS } })).status).toBe(201);
});

describe("the console's page", () => {
  it("loads only its own two files, which are cached indefinitely", async () => {
    const page = await visit("GET", "/console");
    expect(page.status).toBe(200);
    expect(page.headers.get("cache-control")).toBe("no-store");
    const policy = page.headers.get("content-security-policy") ?? "";
    const nonce = /script-src 'nonce-([\w-]{22})';/.exec(policy)?.[1];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(page.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    const files = [...page.text.matchAll(/(?:src|href)="\/_sluice(\/console\/[^"]+)" nonce="([^"]+)"/g)];
    expect(files.map(([, , of]) => of)).toEqual([nonce, nonce]);
    for (const [, path = ""] of files) {
      const file = await visit("GET", path);
      expect([file.status, file.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
      expect((await visit("GET", path, { "if-none-match": file.headers.get("etag") ?? "" })).status).toBe(304);
    }
    expect((await visit("GET", "/console")).text).not.toContain(nonce);
    expect((await visit("GET", "/console/console-0000000000000000.js")).status).toBe(404);
  });

  it("gives the key only to a browser that opens the page", async () => {
    const { cookie, key } = await signIn();
    expect((await visit("GET", "/console", { cookie, ...NAVIGATION })).text).toContain(key);
    const others: readonly SentHeaders[] = [
      {},
      { "sec-fetch-dest": "empty", "sec-fetch-mode": "cors" },
      { "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate" },
      { "sec-fetch-dest": "empty", "sec-fetch-mode": "navigate" },
    ];
    for (const headers of others)
      expect((await visit("GET", "/console", { cookie, ...headers })).text).not.toContain(key);
    expect((await visit("GET", "/console", NAVIGATION)).text).toContain('name="console-key" content=""');
  });
});

describe("signing in", () => {
  it("gives a strict cookie without the token in it", async () => {
    const { cookie, attributes } = await signIn();
    expect(cookie).toMatch(/^sluice-console=/);
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=14400", "Path=/_sluice", "SameSite=Strict"]);
    expect(cookie).not.toContain(token);
  });

  it.each([
    ["a wrong token", { token: `${"x".repeat(43)}` }],
    ["none", {}],
    ["one among other things", { token: "x", other: 1 }],
    ["a list", [token]],
    ["too much", { token: "x".repeat(10_000) }],
  ])("refuses %s", async (_what, json) => {
    const answer = await visit("POST", "/console/session", { origin: url }, json);
    expect([answer.status, answer.body["code"]]).toEqual([401, "operator_token_invalid"]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it("is only for this site's own pages", async () => {
    const others: readonly SentHeaders[] = [
      {},
      { origin: "https://evil.test" },
      { origin: "null" },
      { origin: url, "sec-fetch-site": "same-site" },
    ];
    for (const headers of others) {
      const answer = await visit("POST", "/console/session", headers, { token });
      expect([answer.status, answer.body["code"]]).toEqual([403, "console_call_foreign"]);
    }
  });

  it("ends when the operator signs out", async () => {
    const answer = await visit("DELETE", "/console/session", { origin: url });
    expect(answer.headers.getSetCookie()[0]).toMatch(/^sluice-console=; Max-Age=0;/);
  });
});

describe("a call with the console's cookie", () => {
  const change = { maxActive: 7 };

  it("needs the key, also to read: the application's own scripts could send the cookie along", async () => {
    const { cookie, key } = await signIn();
    const other = await signIn();
    const read = (headers: Readonly<Record<string, string>>) => visit("GET", "/admin/queues/launch", headers);
    expect((await read({ cookie, "x-sluice-console": key })).status).toBe(200);
    expect((await read({ cookie })).body["code"]).toBe("console_call_foreign");
    expect((await read({ cookie, "x-sluice-console": other.key })).body["code"]).toBe("console_call_foreign");
    expect((await read({ "x-sluice-console": key })).body["code"]).toBe("operator_token_invalid");
    expect((await read({ cookie: `${cookie}x`, "x-sluice-console": key })).body["code"]).toBe("operator_token_invalid");
  });

  it("must come from this site to change anything", async () => {
    const { cookie, key } = await signIn();
    const send = (headers: Readonly<Record<string, string>>) =>
      visit("PATCH", "/admin/queues/launch", { cookie, "x-sluice-console": key, ...headers }, change);
    const others: readonly SentHeaders[] = [
      {},
      { origin: "https://evil.test" },
      { origin: url, "sec-fetch-site": "same-site" },
    ];
    for (const headers of others) expect((await send(headers)).status).toBe(403);
    expect((await call("GET", "/admin/queues/launch")).body["maxActive"]).toBe(SETTINGS.maxActive);
    expect((await send({ origin: url, "sec-fetch-site": "same-origin" })).status).toBe(200);
    expect((await call("GET", "/admin/queues/launch")).body["maxActive"]).toBe(7);
  });

  it("needs no key to show the visitor's page in a frame, and for nothing else in one", async () => {
    const { cookie } = await signIn();
    const frame = { cookie, "sec-fetch-dest": "iframe" };
    expect([401, 403]).not.toContain((await visit("GET", "/admin/queues/launch/preview?state=waiting", frame)).status);
    expect((await visit("GET", "/admin/queues/launch", frame)).status).toBe(403);
    expect((await visit("GET", "/admin/queues/launch/preview?state=waiting", { cookie })).status).toBe(403);
  });

  it("does not help a client with a wrong token", async () => {
    const { cookie, key } = await signIn();
    const headers = { cookie, "x-sluice-console": key, authorization: "Bearer something-else-entirely" };
    expect((await call("GET", "/admin/queues/launch", { headers })).status).toBe(401);
  });
});
