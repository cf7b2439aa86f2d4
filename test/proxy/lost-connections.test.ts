import { describe, expect, it } from "vitest";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";
import { sendRaw } from "./raw-http.ts";

const { edge, origin } = await edgeBeforeOrigin();

const request = (method: string, body = "") =>
  sendRaw(
    edge.port,
    `${method} /thing HTTP/1.1\r\nHost: shop.test\r\n${body === "" ? "" : `Content-Length: ${body.length}\r\n`}\r\n${body}`,
  );

/**
 * Answers the first request, and ends the connection without a word when the next one comes on it; every other
 * connection is served.
 */
function loseReusedConnections(): { readonly methods: string[] } {
  const methods: string[] = [];
  const used = new WeakSet<object>();
  let isLost = false;
  origin.answerWith((incoming, response) => {
    methods.push(incoming.method ?? "");
    if (used.has(incoming.socket) && !isLost) {
      isLost = true;
      incoming.socket.destroy();
      return;
    }
    used.add(incoming.socket);
    incoming.on("end", () => response.end("served")).resume();
  });
  return { methods };
}

describe("a kept connection that ends before the answer begins", () => {
  it.each(["GET", "HEAD", "OPTIONS"])("costs a %s nothing: it is retried on another one", async (method) => {
    const seen = loseReusedConnections();
    expect((await request("GET")).status).toBe(200);
    expect((await request(method)).status).toBe(200);
    expect(seen.methods).toEqual(["GET", method, method]);
  });

  it.each([
    ["POST", "abc"],
    ["POST", ""],
    ["PUT", "abc"],
    ["DELETE", ""],
    ["PATCH", "abc"],
  ])("gives 502 to a %s, which may have been carried out: it is never sent twice", async (method, body) => {
    const seen = loseReusedConnections();
    expect((await request("GET")).status).toBe(200);
    expect((await request(method, body)).status).toBe(502);
    expect(seen.methods).toEqual(["GET", method]);
  });
});
