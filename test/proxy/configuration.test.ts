import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { type EdgeServerOptions, startEdgeServer } from "../../stack/servers/edge-server.ts";
import { BARE_PROXY, EDGE_VARIABLES } from "./edge-before-origin.ts";
import { rawGet, sendRaw } from "./raw-http.ts";
import { startRecordingOrigin } from "./recording-origin.ts";

const origin = await startRecordingOrigin();
afterAll(() => origin.stop());

async function startEdge(variables: Record<string, string>, options: Partial<EdgeServerOptions> = {}) {
  const folder = await temporaryFolder();
  const logFile = join(folder, "edge.log");
  const edge = await startEdgeServer({
    folder,
    entryFile: BARE_PROXY,
    originAddress: origin.address,
    storeAddress: "127.0.0.1:1",
    variables,
    logFile,
    ...options,
  });
  afterAll(() => edge.stop());
  return { edge, readLog: () => readFile(logFile, "utf8") };
}

describe("an edge that is not configured", () => {
  it("answers 500 to everything, forwards nothing, and logs all faults at once without their values", async () => {
    const { edge, readLog } = await startEdge({ CLIENT_ADDRESS_FROM: "x-forwarded-for", ORIGIN_TIMEOUT_MS: "soon" });
    for (const target of ["/", "/_sluice/health"]) {
      const response = await sendRaw(edge.port, rawGet(target));
      expect(response.status).toBe(500);
      const problem = JSON.parse(response.body.toString());
      expect(problem).toMatchObject({ code: "internal_error", requestId: response.headers.get("x-request-id")?.[0] });
      expect(response.body.toString()).not.toContain("CLIENT_ADDRESS_FROM");
    }
    expect(origin.requests).toEqual([]);
    await edge.stop();
    const log = await readLog();
    for (const name of [
      "CLIENT_ADDRESS_FROM",
      "ORIGIN_TIMEOUT_MS",
      "UPSTASH_REDIS_REST_URL",
      "UPSTASH_REDIS_REST_TOKEN",
    ])
      expect(log).toContain(name);
    expect(log).not.toContain("soon");
  });
});

/** The worker as it stands on Cloudflare: no service binding, so the origin is reached by its URL. */
async function workerWithoutBinding(): Promise<string> {
  const entryFile = join(await temporaryFolder(), "entry.js");
  const app = JSON.stringify(BARE_PROXY);
  const fetcher = "{ fetch: (request, bindings, ctx) => app.fetch(request, { ...bindings, ORIGIN: undefined }, ctx) }";
  await writeFile(entryFile, `import app from ${app};\nexport default ${fetcher};\n`);
  return entryFile;
}

const entryFile = await workerWithoutBinding();

describe("an edge on Cloudflare", () => {
  const variables = { ...EDGE_VARIABLES, CLIENT_ADDRESS_FROM: "cloudflare", ORIGIN_URL: `http://${origin.address}` };

  it("reaches the origin by its URL and takes the client's address from the network", async () => {
    const { edge } = await startEdge(variables, { entryFile, storeAddress: origin.address });
    const lines = ["CF-Connecting-IP: 198.51.100.7", "CF-Ray: 1", "X-Forwarded-For: 203.0.113.9", "X-Kept: 1"];
    const response = await sendRaw(edge.port, rawGet("/a%2Db?x=%zz", lines));
    expect(response.status).toBe(200);
    const [request] = origin.requests.splice(0);
    expect(request?.url).toBe("/a-b?x=%zz");
    expect(request?.headers.get("x-forwarded-for")).toEqual(["198.51.100.7"]);
    expect(request?.headers.get("x-forwarded-host")).toEqual(["shop.test"]);
    expect(request?.headers.get("host")).toEqual([origin.address]);
    expect(request?.headers.get("x-kept")).toEqual(["1"]);
    expect(request?.headers.has("cf-ray")).toBe(false);
  });

  it("does not follow redirects either", async () => {
    origin.answerWith((_request, response) => response.writeHead(302, { location: "/elsewhere" }).end());
    const { edge } = await startEdge(variables, { entryFile, storeAddress: origin.address });
    const response = await sendRaw(edge.port, rawGet("/"));
    origin.reset();
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toEqual(["/elsewhere"]);
  });

  it("says nothing about an address that the network does not name", async () => {
    const { edge } = await startEdge(variables, { entryFile, storeAddress: origin.address });
    await sendRaw(edge.port, rawGet("/", ["X-Forwarded-For: 203.0.113.9"]));
    const [request] = origin.requests.splice(0);
    expect(request?.headers.has("x-forwarded-for")).toBe(false);
  });
});

describe("the network of the upstreams", () => {
  /** A worker that forwards every request without checks. */
  async function credulousWorker(): Promise<string> {
    const entry = join(await temporaryFolder(), "entry.js");
    const answer = `new URL(request.url).searchParams.get("ask")`;
    const handler = `async (request, { UPSTREAMS }) => new Response((await UPSTREAMS.fetch(${answer}).catch(() => ({ status: "refused" }))).status)`;
    await writeFile(entry, `export default { fetch: ${handler} };\n`);
    return entry;
  }

  const spellings = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0"];

  it("is only the public internet, whatever name or spelling leads elsewhere, unless the environment says otherwise", async () => {
    const entry = await credulousWorker();
    const [closed, opened] = [
      await startEdge({}, { entryFile: entry }),
      await startEdge({ SLUICE_ALLOW_PRIVATE_TARGETS: "1" }, { entryFile: entry }),
    ];
    for (const host of spellings) {
      const ask = `/?ask=${encodeURIComponent(`http://${host}:${origin.port}/`)}`;
      expect((await sendRaw(closed.edge.port, rawGet(ask))).body.toString(), host).toBe("refused");
      expect(origin.requests.splice(0)).toEqual([]);
    }
    const ask = `/?ask=${encodeURIComponent(`http://localhost:${origin.port}/`)}`;
    expect((await sendRaw(opened.edge.port, rawGet(ask))).body.toString()).toBe("200");
    expect(origin.requests.splice(0)).toHaveLength(1);
  });
});

describe("the log of the edge", () => {
  it("names the request and its path when the origin fails, and neither query nor cookie", async () => {
    origin.answerWith((request) => request.socket.resetAndDestroy());
    const { edge, readLog } = await startEdge(EDGE_VARIABLES);
    const response = await sendRaw(edge.port, rawGet("/pay?card=4111", ["Cookie: session=secret"]));
    origin.reset();
    expect(response.status).toBe(502);
    await edge.stop();
    const lines = (await readLog()).split("\n").filter((line) => line.startsWith("{"));
    const entry = JSON.parse(lines.at(-1) ?? "{}");
    expect(entry).toMatchObject({ level: "warn", name: "edge", code: "origin_unreachable", path: "/pay" });
    expect(entry.requestId).toBe(response.headers.get("x-request-id")?.[0]);
    expect(lines.join()).not.toMatch(/4111|secret/);
  });
});
