import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createApp } from "../../edge/app.ts";
import { errorCatalogue } from "../../shared/http/errors.ts";
import { type Answer, newSessionId, SETTINGS, startAdminGate } from "./admin-gate.ts";

type Schema = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type Parameter = { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Schema };
type Described = {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
};
type Document = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
};

const gate = await startAdminGate();
const { call } = gate;
const served = await call("GET", "/openapi.json", { headers: { authorization: "" } });
const document = served.body as unknown as Document;
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("GET /_sluice/openapi.json", () => {
  it("is public, and is OpenAPI 3.1", () => {
    expect([served.status, served.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect([typeof document.info.title, typeof document.info.version]).toEqual(["string", "string"]);
    expect(document.servers).toEqual([{ url: "/_sluice" }]);
  });

  it("describes every route of ours but the console's own pages, and no route that is not there", () => {
    const app = createApp({
      forward: async () => new Response(),
      watchSocket: (response) => response,
    });
    const routes = app.routes
      .filter(
        ({ method, path }) => method !== "ALL" && path.startsWith("/_sluice/") && !path.startsWith("/_sluice/console"),
      )
      .map(({ method, path }) => `${method} ${withoutNames(path.slice("/_sluice".length))}`);
    const documented = described.map(({ method, path }) => `${method.toUpperCase()} ${withoutNames(path)}`);
    expect(documented.toSorted()).toEqual([...new Set(routes)].toSorted());
  });

  it("gives each operation a name of its own, a summary, its parameters and its answers", () => {
    const ids = described.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of described) {
      expect(operation.summary, path).not.toBe("");
      const inPath = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
      expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(operation.parameters.every((parameter) => parameter.in !== "path" || parameter.required)).toBe(true);
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => /^2\d\d$/.test(status))).toBe(true);
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[2345]\d\d$/);
        expect(response.description, `${path} ${status}`).not.toBe("");
      }
    }
  });

  it("asks for the operator token exactly where it is asked for", () => {
    for (const { path, operation } of described) {
      expect([path, JSON.stringify(operation.security).includes("operatorToken")]).toEqual([
        path,
        /^\/(?:admin\/|metrics$)/.test(path),
      ]);
    }
    for (const name of ["operatorToken", "visitorToken"])
      expect(document.components.securitySchemes[name]).toBeDefined();
  });

  it("holds no reference that leads nowhere, and schemas that a reader of JSON Schema takes", () => {
    const references = [...served.text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = ""]) => reference);
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) {
      expect(reference).toMatch(/^#\/components\/schemas\/\w+$/);
      expect(document.components.schemas[reference.split("/").at(-1) ?? ""]).toBeDefined();
    }
    for (const name of Object.keys(document.components.schemas))
      expect(() => readSchema({ $ref: `#/components/schemas/${name}` })).not.toThrow();
    expect(served.text).not.toContain('"$schema"');
    expect(served.text).not.toContain('"$id"');
  });

  it("names only error codes of the catalogue, under their status", () => {
    for (const { operation } of described) {
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        if (content?.["application/problem+json"] === undefined) continue;
        const codes = [...description.matchAll(/`([a-z_]+)`:/g)].map(([, code]) => code as keyof typeof errorCatalogue);
        expect(codes.length).toBeGreaterThan(0);
        for (const code of codes) expect(errorCatalogue[code]?.status).toBe(Number(status));
      }
    }
  });
});

describe("its schemas", () => {
  const sessionId = newSessionId();
  const opensAt = Date.now() + 600_000;
  const event = { prequeueOpensAt: opensAt - 300_000, opensAt, order: "lottery", eventOverrides: { admissionRate: 5 } };
  const visits: [string, string, string, unknown][] = [
    ["POST", "/admin/queues", "/admin/queues", { queueId: "drawn", ...SETTINGS, ...event }],
    ["GET", "/admin/queues/{queueId}", "/admin/queues/drawn", undefined],
    ["POST", "/queues/{queueId}/enter", "/queues/drawn/enter", undefined],
    ["GET", "/queues/{queueId}", "/queues/drawn", undefined],
    ["GET", "/queues/{queueId}/draw", "/queues/drawn/draw", undefined],
    ["GET", "/queues/{queueId}/leave-on-close.js", "/queues/launch/leave-on-close.js", undefined],
    ["POST", "/admin/queues", "/admin/queues", { queueId: "launch", ...SETTINGS, maxActive: 1 }],
    ["POST", "/admin/queues", "/admin/queues", { queueId: "launch", ...SETTINGS }],
    ["POST", "/admin/queues", "/admin/queues", { queueId: "Bad" }],
    ["GET", "/admin/queues", "/admin/queues", undefined],
    ["GET", "/admin/queues/{queueId}", "/admin/queues/launch", undefined],
    ["GET", "/admin/queues/{queueId}", "/admin/queues/nowhere", undefined],
    ["GET", "/admin/queues/{queueId}/preview", "/admin/queues/launch/preview?state=prequeue&lang=fa", undefined],
    ["PATCH", "/admin/queues/{queueId}", "/admin/queues/launch", { admissionBurst: 5, admissionRate: 100 }],
    ["PUT", "/admin/routes", "/admin/routes", { routes: [{ path: "/launch/*", queueId: "launch" }] }],
    ["POST", "/admin/routes", "/admin/routes", { path: "/launch/sale/*", queueId: "launch" }],
    ["POST", "/admin/routes", "/admin/routes", { path: "/launch/sale/*", queueId: "launch" }],
    ["DELETE", "/admin/routes", "/admin/routes?path=/launch/sale/*", undefined],
    ["DELETE", "/admin/routes", "/admin/routes?path=/launch/sale/*", undefined],
    ["GET", "/admin/routes", "/admin/routes", undefined],
    ["DELETE", "/admin/queues/{queueId}", "/admin/queues/launch", undefined],
    ["POST", "/queues/{queueId}/enter", "/queues/launch/enter", { metadata: { from: "test" } }],
    ["GET", "/admin/queues/{queueId}/sessions", "/admin/queues/launch/sessions", undefined],
    ["POST", "/queues/{queueId}/enter", "/queues/launch/enter", undefined],
    ["GET", "/admin/queues/{queueId}/stats", "/admin/queues/launch/stats?hours=2", undefined],
    ["GET", "/admin/audit", "/admin/audit", undefined],
    ["POST", "/queues/{queueId}/enter", "/queues/nowhere/enter", undefined],
    ["POST", "/queues/{queueId}/heartbeat", "/queues/launch/heartbeat", undefined],
    ["POST", "/queues/{queueId}/leave", "/queues/launch/leave", undefined],
    ["GET", "/queues/{queueId}", "/queues/launch", undefined],
    ["GET", "/admin/queues/{queueId}/sessions/{sessionId}", `/admin/queues/launch/sessions/${sessionId}`, undefined],
    ["POST", "/admin/revocations", "/admin/revocations", { queueId: "launch", sessionId, reason: "test" }],
    ["DELETE", "/admin/queues/{queueId}/sessions/{sessionId}", `/admin/queues/launch/sessions/${sessionId}`, undefined],
    ["POST", "/admin/queues/{queueId}/invites", "/admin/queues/launch/invites", { lane: 3, uses: 2, key: "ada" }],
    ["DELETE", "/admin/queues/{queueId}/invites/{inviteId}", `/admin/queues/launch/invites/${sessionId}`, undefined],
    ["PATCH", "/admin/queues/{queueId}", "/admin/queues/launch", { proofOfWork: 8 }],
    ["GET", "/jwks.json", "/jwks.json", undefined],
    ["GET", "/health", "/health", undefined],
    ["GET", "/metrics", "/metrics", undefined],
    ["GET", "/openapi.json", "/openapi.json", undefined],
  ];
  const answers: { readonly method: string; readonly template: string; readonly answer: Answer }[] = [];

  beforeAll(async () => {
    for (const [method, template, path, json] of visits) {
      const headers: Record<string, string> = /^\/(?:admin|metrics)/.test(template) ? {} : { authorization: "" };
      if (method === "PUT") headers["if-match"] = "*";
      answers.push({
        method,
        template,
        answer: await call(method, path, json === undefined ? { headers } : { json, headers }),
      });
    }
  });

  it("accept the real answers, on every route", () => {
    expect(new Set(answers.map(({ method, template }) => `${method} ${template}`)).size).toBe(described.length);
    for (const { method, template, answer } of answers) {
      const where = `${method} ${template} ${answer.status}`;
      const response = document.paths[template]?.[method.toLowerCase()]?.responses[String(answer.status)];
      expect(response, `${where}: ${answer.text}`).toBeDefined();
      if (answer.text === "") continue;
      const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
      const schema = response?.content?.[type]?.schema;
      expect(schema, `${where} ${type}`).toBeDefined();
      const parsed = readSchema(schema ?? {}).safeParse(/json/.test(type) ? answer.body : answer.text);
      expect(parsed.error?.issues ?? [], where).toEqual([]);
    }
  });

  it("saw a place in line, a session and an early visitor among them", () => {
    const states = answers
      .filter(({ template }) => template.endsWith("/enter"))
      .map(({ answer }) => answer.body["state"]);
    expect(states).toEqual(["prequeue", "admitted", "waiting", undefined]);
  });

  it("refuse what the edge refuses", () => {
    const bodyOf = (path: string, method: string) =>
      readSchema(document.paths[path]?.[method]?.requestBody?.content["application/json"]?.schema ?? {});
    const newQueue = bodyOf("/admin/queues", "post");
    expect(newQueue.safeParse({ queueId: "launch", ...SETTINGS }).success).toBe(true);
    for (const wrong of [{ maxActive: 0 }, { maxActive: "5" }, { queueId: "{x}" }, { colour: 1 }, { mode: "fast" }]) {
      expect(newQueue.safeParse({ queueId: "launch", ...SETTINGS, ...wrong }).success, JSON.stringify(wrong)).toBe(
        false,
      );
    }
    expect(bodyOf("/admin/queues/{queueId}", "patch").safeParse({ maxActive: 5 }).success).toBe(true);
    expect(bodyOf("/admin/queues/{queueId}", "patch").safeParse({ queueId: "x" }).success).toBe(false);
  });
});

function withoutNames(path: string): string {
  return path.replaceAll(/:\w+|\{\w+\}/g, "*");
}

/** Reads a schema of the document with the document's own components. */
function readSchema(schema: Schema): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas }).replaceAll(
    "#/components/schemas/",
    "#/$defs/",
  );
  return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
}
