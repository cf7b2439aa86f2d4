import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { launchBrowser } from "../../kit/browser.ts";
import { errorCatalogue } from "../../shared/http/errors.ts";
import { startVenue, type TestVenue } from "./venue.ts";

type Described = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<
    Record<string, { description: string; content?: Record<string, { schema: Record<string, unknown> }> }>
  >;
};

type Document = {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};

let venue: TestVenue;
let document: Document;
let userToken: string;

beforeAll(async () => {
  venue = await startVenue();
  document = (await venue.call("GET", "/openapi.json")).body as unknown as Document;
  userToken = (await venue.register("anna")).body.accessToken ?? "";
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      template: path,
      path: path.replaceAll(/\{\w+\}/g, "A".repeat(22)),
      method: method.toUpperCase(),
      operation,
    })),
  );

describe("every route of the document", () => {
  it("refuses requests from pages of other sites, and lets none read an answer", async () => {
    for (const { path, method } of operations()) {
      for (const headers of [
        { origin: "https://evil.test" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
      ] as Record<string, string>[]) {
        const answer = await venue.call(method, path, { token: userToken, headers });
        expect([method, path, answer.body.code]).toEqual([method, path, "other_site_refused"]);
        expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
      const preflight = await venue.call("OPTIONS", path, {
        headers: { origin: "https://evil.test", "access-control-request-method": method },
      });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([405, null]);
    }
  });

  it("has the security headers", async () => {
    for (const { path, method } of operations()) {
      const { headers } = await venue.call(method, path, { headers: { "x-forwarded-proto": "https" } });
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'");
      expect(headers.get("strict-transport-security"), path).toMatch(/^max-age=\d+/);
      expect(headers.get("referrer-policy"), path).toBe("no-referrer");
    }
  });

  it("answers no other method and no other spelling", async () => {
    for (const { path, template } of operations()) {
      if (document.paths[template]?.["put"] !== undefined) continue;
      const answer = await venue.call("PUT", path, { token: userToken });
      expect([answer.status, answer.body.code], path).toEqual([405, "method_not_allowed"]);
      expect(answer.headers.get("allow")).not.toBe("");
    }
    for (const path of ["/Me", "/me/", "//me", "/me%2f", "/ME", "/me;x", "/openapi.json/x"]) {
      expect((await venue.call("GET", path, { token: userToken })).status, path).toBe(404);
    }
  });

  it("accepts every parameter once and no other", async () => {
    expect((await venue.call("GET", "/me?x=1", { token: userToken })).status).toBe(422);
    expect((await venue.call("GET", "/sessions?x=1&x=2", { token: userToken })).status).toBe(422);
  });
});

describe("GET /api/v1/openapi.json", () => {
  it("is OpenAPI 3.1 with unique names, resolvable references and codes of the catalogue", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(
      ([, reference = ""]) => reference,
    );
    expect(references.length).toBeGreaterThan(5);
    for (const reference of references)
      expect(document.components.schemas[reference.split("/").at(-1) ?? ""]).toBeDefined();
    const codes = operations().flatMap(({ operation }) => Object.entries(operation.responses).flatMap(problemCodes));
    expect(codes.length).toBeGreaterThan(20);
    for (const { status, code } of codes) expect(errorCatalogue[code]?.status).toBe(status);
  });

  it("describes the answers as they are", async () => {
    const answers: [string, string, Awaited<ReturnType<TestVenue["call"]>>][] = [
      ["post", "/auth/register", await venue.register("berta")],
      ["post", "/auth/register", await venue.register("berta")],
      ["post", "/auth/login", await venue.login("berta")],
      ["post", "/auth/login", await venue.login("berta", { password: "x" })],
      ["get", "/me", await venue.call("GET", "/me", { token: userToken })],
      ["get", "/sessions", await venue.call("GET", "/sessions", { token: userToken })],
      [
        "delete",
        "/sessions/{sessionId}",
        await venue.call("DELETE", `/sessions/${"A".repeat(22)}`, { token: userToken }),
      ],
    ];
    for (const [method, path, answer] of answers) {
      const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
      const schema = document.paths[path]?.[method]?.responses[answer.status]?.content?.[type]?.schema;
      expect(schema, `${method} ${path} ${answer.status}`).toBeDefined();
      const text = JSON.stringify({ ...schema, $defs: document.components.schemas }).replaceAll(
        "#/components/schemas/",
        "#/$defs/",
      );
      const parsed = z
        .fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0])
        .safeParse(answer.body);
      expect(parsed.error?.issues ?? [], `${method} ${path}`).toEqual([]);
    }
  });
});

describe("the limits of a caller", () => {
  it("are in every answer, and end in 429 with the time to wait", async () => {
    const { body } = await venue.register("busy");
    const first = await venue.call("GET", "/me", { token: body.accessToken });
    expect(first.headers.get("ratelimit-policy")).toBe('"read";q=200;w=4');
    expect(first.headers.get("ratelimit")).toMatch(/^"read";r=199;t=\d+$/);
    const answers = await Promise.all(
      Array.from({ length: 260 }, () => venue.call("GET", "/me", { token: body.accessToken })),
    );
    const over = answers.filter(({ status }) => status === 429);
    expect(over.length).toBeGreaterThan(0);
    expect(over[0]?.body.code).toBe("rate_limited");
    expect(Number(over[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await venue.call("GET", "/me", { token: userToken })).status).toBe(200);
  });
});

describe("GET /api/v1/docs", () => {
  it("shows the document in a browser, without requests to other hosts", async () => {
    const pass = await venue.pass();
    const server = createAdaptorServer({
      fetch: (request: Request) => {
        const headers = new Headers(request.headers);
        headers.set("x-sluice-pass", pass);
        headers.set("x-forwarded-host", headers.get("host") ?? "");
        return venue.fetch(new Request(request, { headers }));
      },
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const asked: string[] = [];
      const faults: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      page.on("pageerror", (error) => faults.push(error.message));
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await page.goto(`${origin}/api/v1/docs`);
      await page.getByText("Create an account and sign in").waitFor();
      await page.getByText("Sluice venue").first().waitFor();
      expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"))).toEqual([]);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
      server.close();
    }
  });
});

function problemCodes([status, { description, content }]: [string, Described["responses"][string]]) {
  if (content?.["application/problem+json"] === undefined) return [];
  return [...description.matchAll(/`([a-z_]+)`:/g)].map(([, code]) => ({
    status: Number(status),
    code: code as keyof typeof errorCatalogue,
  }));
}
