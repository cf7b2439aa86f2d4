import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { edgeBeforeOrigin } from "./edge-before-origin.ts";
import { sendRaw } from "./raw-http.ts";

const TIMEOUT_MS = 300;
const { edge, origin } = await edgeBeforeOrigin({ ORIGIN_TIMEOUT_MS: String(TIMEOUT_MS) });
const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 32_000_000 });

type Pair = { readonly client: WebSocket; readonly atOrigin: WebSocket; readonly request: IncomingMessage };

async function openPair(
  options: { path?: string; protocols?: string[]; headers?: Record<string, string> } = {},
): Promise<Pair> {
  const accepted = new Promise<Omit<Pair, "client">>((resolve) => {
    origin.upgradeWith((request, socket, head) => {
      server.handleUpgrade(request, socket, head, (atOrigin) => resolve({ atOrigin, request }));
    });
  });
  const client = new WebSocket(`ws://127.0.0.1:${edge.port}${options.path ?? "/ws"}`, options.protocols ?? [], {
    perMessageDeflate: false,
    headers: options.headers ?? {},
  });
  const opened = once(client, "open");
  const pair = { client, ...(await accepted) };
  await opened;
  return pair;
}

describe("a WebSocket through the edge", () => {
  it("carries text and binary both ways, unchanged and in order", async () => {
    const { client, atOrigin } = await openPair();
    atOrigin.on("message", (data, isBinary) => atOrigin.send(data, { binary: isBinary }));
    const large = randomBytes(1_000_000).toString("base64");
    const sent: (string | Buffer)[] = ["first", "grüße 😀", "", Buffer.from([0, 255, 128]), Buffer.alloc(0), large];
    const received: (string | Buffer)[] = [];
    const all = new Promise<void>((resolve) => {
      client.on("message", (data: Buffer, isBinary) => {
        received.push(isBinary ? data : data.toString());
        if (received.length === sent.length) resolve();
      });
    });
    for (const message of sent) client.send(message);
    await all;
    expect(received).toEqual(sent);
    client.terminate();
  });

  it("answers a ping from either side", async () => {
    const { client, atOrigin } = await openPair();
    const pongs = Promise.all([once(client, "pong"), once(atOrigin, "pong")]);
    client.ping("from the client");
    atOrigin.ping("from the origin");
    const [[atClient], [atServer]] = await pongs;
    expect(String(atClient)).toBe("from the client");
    expect(String(atServer)).toBe("from the origin");
    client.terminate();
  });

  it.each([
    [1000, "done"],
    [1001, ""],
    [1011, "failed"],
    [4001, "sign in again"],
  ])("passes close code %d from the origin to the client", async (code, reason) => {
    const { client, atOrigin } = await openPair();
    const closed = once(client, "close");
    atOrigin.close(code, reason);
    const [gotCode, gotReason] = await closed;
    expect([gotCode, String(gotReason)]).toEqual([code, reason]);
  });

  it.each([
    [1000, "bye"],
    [4999, "custom"],
  ])("passes close code %d from the client to the origin", async (code, reason) => {
    const { client, atOrigin } = await openPair();
    const closed = once(atOrigin, "close");
    client.close(code, reason);
    const [gotCode, gotReason] = await closed;
    expect([gotCode, String(gotReason)]).toEqual([code, reason]);
  });

  it("ends at the client when the origin vanishes", async () => {
    const { client, atOrigin } = await openPair();
    client.on("error", () => undefined);
    const closed = once(client, "close");
    atOrigin.terminate();
    expect((await closed)[0]).toBe(1006);
  });

  it("ends at the origin when the client vanishes", async () => {
    const { client, atOrigin } = await openPair();
    const closed = once(atOrigin, "close");
    client.terminate();
    expect((await closed)[0]).toBe(1006);
  });

  it("is not cut when nothing is said for longer than the origin's limit", async () => {
    const { client, atOrigin } = await openPair();
    await sleep(3 * TIMEOUT_MS);
    const received = once(client, "message");
    atOrigin.send("still here");
    expect(String((await received)[0])).toBe("still here");
    client.terminate();
  });

  it("negotiates a subprotocol with the origin and carries the target and headers of any request", async () => {
    const forged = {
      "x-forwarded-for": "203.0.113.9",
      "x-sluice-pass": "forged",
      cookie: "a=1",
      origin: "https://shop.test",
    };
    const { client, request } = await openPair({ path: "/ws?pair=BTC-USD", protocols: ["v1.sluice"], headers: forged });
    expect(client.protocol).toBe("v1.sluice");
    expect(request.url).toBe("/ws?pair=BTC-USD");
    expect(request.headers).toMatchObject({
      "x-forwarded-for": "127.0.0.1",
      cookie: "a=1",
      origin: "https://shop.test",
    });
    expect(request.headers).not.toHaveProperty("x-sluice-pass");
    expect(request.headers["x-request-id"]).toMatch(/^[\w-]{22}$/);
    client.terminate();
  });

  it("is refused with the origin's own answer", async () => {
    origin.upgradeWith((_request, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"));
    const client = new WebSocket(`ws://127.0.0.1:${edge.port}/ws`);
    client.on("error", () => undefined);
    const [, response] = (await once(client, "unexpected-response")) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(401);
    client.terminate();
  });

  it("gives 504 when the origin does not answer the upgrade", async () => {
    origin.upgradeWith(() => undefined);
    const client = new WebSocket(`ws://127.0.0.1:${edge.port}/ws`);
    client.on("error", () => undefined);
    const [, response] = (await once(client, "unexpected-response")) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(504);
    client.terminate();
  });

  it("is never tunnelled by another method or on a path that is not plain", async () => {
    origin.upgradeWith((_request, socket) =>
      socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"),
    );
    const lines =
      "Host: shop.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
    expect((await sendRaw(edge.port, `GET //ws HTTP/1.1\r\n${lines}\r\n`)).status).toBe(400);
    expect(
      (await sendRaw(edge.port, `POST /ws HTTP/1.1\r\n${lines}Content-Length: 0\r\n\r\n`)).status,
    ).toBeGreaterThanOrEqual(200);
  });
});
