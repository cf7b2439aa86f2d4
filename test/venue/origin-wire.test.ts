import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { type HttpServer, startHttpServer } from "../../origin/http-server.ts";
import { PASS_HEADER } from "../../shared/tokens/admission.ts";
import { startTradingVenue, type Trader, type TradingVenue } from "./trader.ts";
import { START_MS_MAX } from "./venue.ts";

let venue: TradingVenue;
let anna: Trader;
let server: HttpServer;
let pass: string;

beforeAll(async () => {
  venue = await startTradingVenue();
  anna = await venue.trader("anna", { idr: "1000000000" });
  server = await venue.listen();
  pass = await venue.pass();
}, START_MS_MAX);

const headOf = (line: string, more: readonly string[] = []) =>
  [
    `${line} HTTP/1.1`,
    "host: venue.test",
    `${PASS_HEADER}: ${pass}`,
    `authorization: Bearer ${anna.token}`,
    ...more,
    "",
    "",
  ].join("\r\n");

/** Sends text and resolves with everything that arrived until the other side closed or was quiet. */
async function exchange(
  text: string,
  { quietMs = 400, port = server.port } = {},
): Promise<{ readonly answer: string; readonly isClosed: boolean }> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let answer = "";
  let isClosed = false;
  let lastMs = performance.now();
  socket.on("data", (bytes: Buffer) => {
    answer += bytes.toString();
    lastMs = performance.now();
  });
  socket.on("close", () => {
    isClosed = true;
  });
  socket.on("error", () => undefined);
  socket.write(text);
  while (!isClosed && (answer === "" || performance.now() - lastMs < quietMs)) await sleep(10);
  socket.destroy();
  return { answer, isClosed };
}

describe("an answer before the body was read", () => {
  it.each([
    ["a length that is refused at once", "content-length: 100000", "x".repeat(1_000), "413"],
    [
      "a chunked body past the bound",
      "transfer-encoding: chunked",
      `${(80_000).toString(16)}\r\n${"x".repeat(80_000)}\r\n`,
      "413",
    ],
  ])("says connection: close, arrives complete, and the connection ends: %s", async (_what, framing, sent, status) => {
    const { answer, isClosed } = await exchange(
      headOf("POST /api/v1/orders", ["content-type: application/json", framing]) + sent,
      {
        quietMs: 5_000,
      },
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.toLowerCase()).toContain("connection: close");
    expect(answer).toContain('"code":"body_too_large"');
    expect(isClosed).toBe(true);
  });

  it("keeps the connection if the refused body was complete", async () => {
    const refused = headOf("POST /api/v1/orders", ["content-type: text/plain", "content-length: 3"]);
    const { answer } = await exchange(`${refused}abc${headOf("GET /api/v1/me")}`);
    expect(answer.match(/HTTP\/1\.1 (\d+)/g)).toEqual(["HTTP/1.1 415", "HTTP/1.1 200"]);
  });
});

describe("a request that arrives too slowly", () => {
  it("gets 408, and its connection ends", async () => {
    const slow = await startHttpServer({ app: { fetch: venue.fetch }, port: 0, requestMsMax: 500 });
    const head = headOf("POST /api/v1/orders", ["content-type: application/json", "content-length: 1000"]);
    const { answer, isClosed } = await exchange(`${head}{`, { quietMs: 5_000, port: slow.port });
    await slow.stop();
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"request_timeout"');
    expect(isClosed).toBe(true);
  });
});

describe("the short path on a socket", () => {
  const JSON_TYPE = "content-type: application/json";
  const order = JSON.stringify({ pair: "btcidr", side: "buy", type: "limit", price: "1000000000", quantity: "0.001" });

  it.each<[string, string, readonly string[], string]>([
    ["a read", "GET /api/v1/me", [], ""],
    ["a parameter", "GET /api/v1/orders/999999", [], ""],
    ["a parameter with an escape", "GET /api/v1/orders/%39%39", [], ""],
    ["an escape that is none", "GET /api/v1/orders/%zz", [], ""],
    ["an empty parameter", "GET /api/v1/orders/", [], ""],
    ["a query", "GET /api/v1/orders?limit=1&limit=2", [], ""],
    ["a query that is unknown", "GET /api/v1/me?x=1", [], ""],
    ["JSON that is none", "POST /api/v1/orders", [JSON_TYPE], "{"],
    ["JSON with a mark before it", "POST /api/v1/orders", [JSON_TYPE], `\uFEFF${order.replace("btcidr", "nopair")}`],
    ["fields that are missing", "POST /api/v1/orders", [JSON_TYPE], "{}"],
    ["another type", "POST /api/v1/orders", ["content-type: text/plain"], order],
    ["no type", "POST /api/v1/orders", [], order],
    ["two types", "POST /api/v1/orders", [JSON_TYPE, JSON_TYPE], order],
    ["another site", "POST /api/v1/orders", [JSON_TYPE, "origin: https://evil.test"], order],
    ["an unknown path", "GET /api/v1/nothing", [], ""],
    ["another method", "PUT /api/v1/orders", [JSON_TYPE], order],
    ["a head", "HEAD /api/v1/me", [], ""],
    ["no cover", "POST /api/v1/orders", [JSON_TYPE], order.replace("0.001", "9")],
  ])("answers like the path through Hono: %s", async (_what, line, headers, body) => {
    const bytes = Buffer.byteLength(body);
    const own = bytes === 0 ? headers : [...headers, `content-length: ${bytes}`];
    const { answer } = await exchange(headOf(line, [...own, "connection: close"]) + body, { quietMs: 5_000 });
    const [method = "", path = ""] = line.split(" ");
    const web = new Headers({ [PASS_HEADER]: pass, authorization: `Bearer ${anna.token}`, host: "venue.test" });
    for (const header of headers) web.append(header.split(": ")[0] ?? "", header.split(": ")[1] ?? "");
    const expected = await venue.fetch(
      new Request(`http://venue.test${path}`, { method, headers: web, ...(bytes > 0 && { body }) }),
    );
    const [head = "", content = ""] = answer.split("\r\n\r\n");
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${expected.status} `));
    expect(withoutNumbers(content)).toBe(withoutNumbers(method === "HEAD" ? "" : await expected.text()));
    const names = head
      .toLowerCase()
      .split("\r\n")
      .slice(1)
      .map((each) => each.split(":")[0] ?? "");
    for (const [name] of expected.headers) expect(names).toContain(name);
  });

  it("refuses a repeated token", async () => {
    const { answer } = await exchange(headOf("GET /api/v1/me", ["authorization: Bearer x", "connection: close"]), {
      quietMs: 5_000,
    });
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

/** Times and ids differ from request to request. */
const withoutNumbers = (text: string) => text.replaceAll(/\d+/g, "0");
