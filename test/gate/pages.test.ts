import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sendRaw } from "../proxy/raw-http.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE } from "./visitor.ts";

const stack = await startGateStack();
const { url } = stack;

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

type Sent = { readonly path: string; readonly referer: string; readonly cookie?: string };

/** As a browser sends it; fetch would say of itself that it does not navigate. */
async function sendForm({ path, referer, cookie = "a=b" }: Sent) {
  const { host, port } = new URL(url);
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Accept: ${BROWSER.accept}`,
    "Sec-Fetch-Mode: navigate",
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Length: 3",
    `Referer: ${referer}`,
    `Cookie: ${cookie}`,
  ];
  const { status, headers, body } = await sendRaw(Number(port), `${lines.join("\r\n")}\r\n\r\na=1`);
  return {
    status,
    type: headers.get("content-type")?.[0],
    setCookies: headers.get("set-cookie") ?? [],
    text: body.toString(),
  };
}

/** Raw bytes: fetch would request gzip and decompress it. */
async function getRaw(path: string, { method = "GET", ...headers }: Readonly<Record<string, string>>) {
  const { host, port } = new URL(url);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const answer = await sendRaw(Number(port), `${lines.join("\r\n")}\r\n\r\n`);
  const header = (name: string) => answer.headers.get(name)?.join();
  return { status: answer.status, body: answer.body, header, encoding: header("content-encoding") };
}

describe("a page on the wire", () => {
  const PAGE_BYTES_MAX = 10_000;

  it.each([
    ["gzip", true],
    ["gzip, deflate, br, zstd", true],
    ["br;q=1.0, GZIP;q=0.8, *;q=0.1", true],
    ["*", true],
    ["x-gzip", true],
    [undefined, false],
    ["", false],
    ["br", false],
    ["identity", false],
    ["gzip;q=0", false],
    ["gzip;q=0, *", false],
    ["*;q=0", false],
    ["identity, gzip;q=0.5", false],
    ["gzip;q=nonsense", false],
  ])("to a client that says accept-encoding %s is compressed: %s", async (accepted, isCompressed) => {
    await stack.setQueue("packed", { maxActive: 1 });
    await createVisitor(url).get("/packed/");
    const sent = { ...BROWSER, ...(accepted !== undefined && { "accept-encoding": accepted }) };
    const page = await getRaw("/packed/", sent);
    expect([page.status, page.encoding]).toEqual([200, isCompressed ? "gzip" : undefined]);
    expect(page.header("vary")).toBe("accept, accept-encoding, accept-language, cookie");
    expect(page.header("set-cookie")).toContain("sluice-ticket-packed=");
    const text = (isCompressed ? gunzipSync(page.body) : page.body).toString();
    expect([text.startsWith("<!doctype html>"), text.trimEnd().endsWith("</html>")]).toEqual([true, true]);
    if (isCompressed) expect(page.body.length).toBeLessThan(PAGE_BYTES_MAX);
    else expect(page.body.length).toBeGreaterThan(PAGE_BYTES_MAX);
    const head = await getRaw("/packed/", { ...sent, method: "HEAD" });
    expect([head.status, head.encoding, head.body.length]).toEqual([200, page.encoding, 0]);
  });

  it("is compressed too when it refuses; small bodies and the origin's are not", async () => {
    await stack.setQueue("works", { mode: "maintenance" });
    const packed = { "accept-encoding": "gzip" };
    const refusal = await getRaw("/works/", { ...BROWSER, ...packed });
    expect([refusal.status, refusal.encoding]).toEqual([503, "gzip"]);
    expect(gunzipSync(refusal.body).toString()).toContain("<h1>");
    const problem = await getRaw("/works/", { ...JSON_PLEASE, ...packed });
    expect([problem.encoding, JSON.parse(problem.body.toString()).code]).toEqual([undefined, "queue_maintenance"]);
    const forwarded = await getRaw("/elsewhere", { ...BROWSER, ...packed });
    expect([forwarded.status, forwarded.encoding]).toEqual([200, undefined]);
  });

  it("of the console keeps its files compressed under a tag of their own", async () => {
    const [, file = ""] = /src="([^"]+)"/.exec((await getRaw("/_sluice/console", BROWSER)).body.toString()) ?? [];
    const [plain, packed] = [await getRaw(file, {}), await getRaw(file, { "accept-encoding": "gzip" })];
    expect([plain.encoding, packed.encoding]).toEqual([undefined, "gzip"]);
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    expect([plain.header("vary"), packed.header("vary")]).toEqual(["accept-encoding", "accept-encoding"]);
    const tags = [plain.header("etag") ?? "", packed.header("etag") ?? ""];
    expect(new Set(tags).size).toBe(2);
    for (const tag of tags) {
      const known = await getRaw(file, { "accept-encoding": "gzip", "if-none-match": tag });
      expect([known.status, known.body.length, known.header("etag")]).toEqual([304, 0, tag]);
    }
  });
});

describe("the page of a waiting visitor", () => {
  it("is a page in the visitor's language for a person, JSON for a program, and a short problem for anything else", async () => {
    await stack.setQueue("shown", { maxActive: 1, language: "id", message: "Sabar ya" });
    await createVisitor(url).get("/shown/");
    const visitor = createVisitor(url);
    const page = await visitor.get("/shown/?a=1", { ...BROWSER, "accept-language": "sv, fa-IR;q=0.8, en;q=0.5" });
    expect([page.status, page.headers.get("content-type"), page.headers.get("content-language")]).toEqual([
      200,
      "text/html; charset=utf-8",
      "fa",
    ]);
    expect(page.text).toContain('<html lang="fa" dir="rtl" data-state="waiting">');
    expect(page.text).toContain("Sabar ya");
    expect(page.headers.get("vary")).toBe("accept, accept-encoding, accept-language, cookie");
    expect(
      (await visitor.get("/shown/", { ...BROWSER, "accept-language": "sv" })).headers.get("content-language"),
    ).toBe("id");
    const json = await visitor.get("/shown/", { accept: "text/html;q=0.4, application/json;q=0.9" });
    expect(json.json).toMatchObject({ state: "waiting", position: 1, mode: "active", message: "Sabar ya" });
    const picture = await visitor.get("/shown/logo.png", { accept: "image/avif,image/webp,*/*;q=0.8" });
    expect([picture.status, picture.headers.get("content-type"), picture.json["code"]]).toEqual([
      503,
      "application/problem+json",
      "queue_waiting",
    ]);
    expect(Number(picture.headers.get("retry-after"))).toBeGreaterThan(0);
    const head = await visitor.send("HEAD", "/shown/", BROWSER);
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([200, "", "text/html; charset=utf-8"]);
  });

  it("has a policy that allows only the scripts of this response", async () => {
    await stack.setQueue("policy", { maxActive: 1 });
    await createVisitor(url).get("/policy/");
    const nonces = new Set<string>();
    for (let visit = 0; visit < 2; visit++) {
      const page = await createVisitor(url).get("/policy/", BROWSER);
      const policy = page.headers.get("content-security-policy") ?? "";
      const nonce = /script-src 'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(page.text).toContain(`<script nonce="${nonce}">`);
      expect(page.text).toContain(`<style nonce="${nonce}">`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(2);
  });

  it("has the configured status for every waiting visitor", async () => {
    await stack.setQueue("status", { maxActive: 1, waitingStatus: 429 });
    await createVisitor(url).get("/status/");
    const statuses = [BROWSER, JSON_PLEASE, { accept: "image/png" }].map(async (headers) => {
      const { status, json } = await createVisitor(url).get("/status/", headers);
      return [status, json["status"]];
    });
    expect(await Promise.all(statuses)).toEqual([
      [429, undefined],
      [429, undefined],
      [429, 429],
    ]);
  });

  it("is a page that says that nothing was sent, for a form that a person has sent", async () => {
    await stack.setQueue("sent", { maxActive: 1 });
    await createVisitor(url).get("/sent/");
    const page = await sendForm({ path: "/sent/buy", referer: `${url}/sent/form?a=1` });
    expect([page.status, page.type]).toEqual([503, "text/html; charset=utf-8"]);
    expect(page.text).toContain("What you sent did not go through.");
    expect(page.text).toContain(";url=/sent/form?a=1");
    const elsewhere = await sendForm({ path: "/sent/buy", referer: "https://evil.test/x" });
    expect(elsewhere.text).toContain(";url=/sent/buy");
    expect(elsewhere.text).not.toContain("evil.test");
  });

  it("gives up the place by a form, and gets a page that says so; the second time too", async () => {
    await stack.setQueue("given-up", { maxActive: 1 });
    await createVisitor(url).get("/given-up/");
    const visitor = createVisitor(url);
    await visitor.get("/given-up/", BROWSER);
    const ticket = `sluice-ticket-given-up=${visitor.cookies.get("sluice-ticket-given-up")}`;
    for (const cookie of [ticket, ticket, "a=b"]) {
      const left = await sendForm({ path: "/_sluice/queues/given-up/leave", referer: `${url}/given-up/x?y=1`, cookie });
      expect([left.status, left.type]).toEqual([200, "text/html; charset=utf-8"]);
      expect(left.text).toContain("You have left the line");
      expect(left.text).toContain('href="/given-up/x?y=1"');
      expect(left.setCookies.some((line) => line.startsWith("sluice-ticket-given-up=;"))).toBe(cookie === ticket);
    }
    expect(await stack.redis.zcard("queue:{given-up}:waiting")).toBe(0);
  });

  it("gives up a session by a form, and the page names the visit, not a place in line", async () => {
    await stack.setQueue("gone-out", { maxActive: 1 });
    const visitor = createVisitor(url);
    await visitor.get("/gone-out/", BROWSER);
    const cookie = `sluice-pass-gone-out=${visitor.cookies.get("sluice-pass-gone-out")}`;
    const left = await sendForm({ path: "/_sluice/queues/gone-out/leave", referer: `${url}/gone-out/x?y=1`, cookie });
    expect([left.status, left.type]).toEqual([200, "text/html; charset=utf-8"]);
    expect(left.text).toContain("<h1>You have left</h1>");
    expect(left.text).toContain('href="/gone-out/x?y=1"');
  });

  it("admits polling visitors when the operator sets mode open", async () => {
    await stack.setQueue("opened", { maxActive: 1 });
    await createVisitor(url).get("/opened/");
    const visitor = createVisitor(url);
    await visitor.get("/opened/", JSON_PLEASE);
    await stack.setQueue("opened", { maxActive: 1, mode: "open" });
    expect((await visitor.send("POST", "/_sluice/queues/opened/heartbeat")).json["state"]).toBe("admitted");
  });
});

describe("an address of the gate that does not exist", () => {
  it.each(["/_sluice/nothing", "/_sluice/console/nothing/here", "/_sluice/queues"])(
    "is a page for a browser at %s, and a problem for a program",
    async (path) => {
      const page = await createVisitor(url).get(path, { ...BROWSER, "accept-language": "fa" });
      expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
      expect(page.text).toContain("<h1>صفحه پیدا نشد</h1>");
      expect(page.text).toMatch(/<a id="action" class="button" href="\/">/);
      expect(page.text).not.toContain("http-equiv");
      for (const headers of [JSON_PLEASE, { accept: "*/*" }]) {
        const problem = await createVisitor(url).get(path, headers);
        expect([problem.status, problem.json["code"]]).toEqual([404, "not_found"]);
      }
      const posted = await createVisitor(url).send("POST", path, BROWSER);
      expect([posted.status, posted.json["code"]]).toEqual([404, "not_found"]);
    },
  );
});
