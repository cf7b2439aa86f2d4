import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { jwksResponse } from "../../edge/token/jwks.ts";
import { createTokens } from "../../edge/token/tokens.ts";
import { PASS_HEADER } from "../../shared/admission.ts";
import { problemResponse } from "../../shared/errors.ts";
import { parseKeyring } from "../../shared/keyring.ts";
import { newTokenKey } from "../../shared/new-token-key.ts";
import { forgedPasses } from "../../test/parts/forged-tokens.ts";
import { createTokenForge, ISSUER, OTHER_QUEUE, type TokenForge, VENUE, VISITOR_ID } from "../../test/parts/token-forge.ts";
import { createLogger } from "../log.ts";
import { type AdmissionVariables, admission } from "./admission.ts";
import { admitUpgrade } from "./admit-upgrade.ts";
import { fetchedKeys } from "./fetched-keys.ts";
import { createPassCheck, type PassCheck } from "./pass-check.ts";
import { startTestGate, type TestGate } from "./test-gate.ts";

const NOW_MS = 1_790_000_000_000;
const logged: string[] = [];
const log = createLogger("admission-test", { write: (line) => void logged.push(line) });

let forge: TokenForge;
let gate: TestGate;
let check: PassCheck;
let server: Server;
let port: number;
let elapsedMs = 0;

beforeAll(async () => {
  forge = await createTokenForge({ kind: "pass", nowSeconds: NOW_MS / 1000 });
  gate = await startTestGate([forge.jwk]);
  const keys = fetchedKeys({ url: gate.url, log, monotonicMs: () => elapsedMs });
  check = createPassCheck({ keys, issuer: ISSUER, queueIds: [VENUE], clock: { nowMs: () => NOW_MS }, log });
  server = await startOrigin();
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await gate.stop();
});

async function startOrigin(): Promise<Server> {
  const app = new Hono<{ Variables: AdmissionVariables }>();
  app.use("*", admission(check));
  app.get("/health", (c) => c.json({ status: "ok" }));
  app.get("/whoami", (c) => c.json({ sessionId: c.get("pass").sessionId }));
  app.notFound(() => problemResponse("not_found"));
  const http = createAdaptorServer({ fetch: app.fetch }) as Server;
  const sockets = new WebSocketServer({ noServer: true });
  http.on("upgrade", (request, socket, head) => {
    void admitUpgrade(check, { request, socket }).then((pass) => {
      if (pass !== undefined) sockets.handleUpgrade(request, socket, head, (ws) => ws.send(`hello ${pass.sessionId}`));
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return http;
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

/** What a header can carry at all: HTTP strips spaces at the ends. */
const FITS_A_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

describe("admission", () => {
  it("lets a valid pass through and tells the handler whose it is", async () => {
    const response = await get("/whoami", { [PASS_HEADER]: await forge.token() });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ sessionId: VISITOR_ID });
  });

  it("lets the edge's own open pass through", async () => {
    const response = await get("/whoami", { [PASS_HEADER]: await forge.token({ claims: { sub: "open" } }) });
    expect(await response.json()).toEqual({ sessionId: "open" });
  });

  it("refuses a pass without a slot, which is good only at the gate", async () => {
    const response = await get("/whoami", { [PASS_HEADER]: await forge.token({ claims: { slotless: true } }) });
    expect([response.status, await response.json()]).toMatchObject([401, { code: "token_invalid" }]);
  });

  it("answers /health to anybody", async () => {
    expect((await get("/health")).status).toBe(200);
    expect((await get("/health?x=/whoami")).status).toBe(200);
  });

  it.each([
    "/",
    "/whoami",
    "/nothing-here",
    "/health/",
    "/health/../whoami",
    "//health",
    "/Health",
    "/health%2f",
    "/healthy",
    "/%2fhealth",
  ])("answers a direct hit on %s with 401", async (path) => {
    const answer = await rawRequest(`GET ${path} HTTP/1.1\r\nHost: origin\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('"code":"token_invalid"');
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"])("answers a direct %s with 401", async (method) => {
    expect((await fetch(`http://127.0.0.1:${port}/whoami`, { method })).status).toBe(401);
  });

  it.each(forgedPasses)("refuses %s (%s) with the same 401", async (_name, reason, make) => {
    const token = await make(forge);
    expect(await check({ pass: token, path: "/", requestId: undefined })).toEqual({ ok: false, reason });
    if (!FITS_A_HEADER.test(token)) return;
    const response = await get("/whoami", { [PASS_HEADER]: token });
    expect(response.status).toBe(401);
    expect(await response.text()).toBe(await (await get("/whoami")).text());
  });

  it("refuses a pass in a cookie, in Authorization or under a name that only looks alike", async () => {
    const token = await forge.token();
    for (const headers of [{ cookie: `sluice-pass-venue=${token}` }, { authorization: `Bearer ${token}` }, { x_sluice_pass: token }]) {
      expect((await get("/whoami", headers as Record<string, string>)).status).toBe(401);
    }
  });

  it("refuses two passes at once, though both are good", async () => {
    const token = await forge.token();
    const lines = `${PASS_HEADER}: ${token}\r\n${PASS_HEADER}: ${token}\r\n`;
    const answer = await rawRequest(`GET /whoami HTTP/1.1\r\nHost: origin\r\n${lines}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("names the reason in the log and never the token", async () => {
    logged.length = 0;
    const token = await forge.token({ claims: { aud: `sluice:pass:${OTHER_QUEUE}` } });
    await get("/whoami", { [PASS_HEADER]: token, "x-request-id": "r-7" });
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ reason: "audience_wrong", path: "/whoami", requestId: "r-7" }]);
    expect(logged.join()).not.toContain(token);
  });

  it("answers 503 with Retry-After, neither 401 nor 500, while the gate's keys cannot be had", async () => {
    const away = await startTestGate([]);
    await away.stop();
    const blind = createPassCheck({
      keys: fetchedKeys({ url: away.url, log }),
      issuer: ISSUER,
      queueIds: [VENUE],
      clock: { nowMs: () => NOW_MS },
      log,
    });
    const app = new Hono().use("*", admission(blind)).get("/health", (c) => c.text("ok"));
    const response = await app.request("/whoami", { headers: { [PASS_HEADER]: await forge.token() } });
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("2");
    expect(await response.json()).toMatchObject({ code: "admission_keys_unavailable" });
    expect((await app.request("/whoami")).status).toBe(401);
    expect((await app.request("/health")).status).toBe(200);
  });
});

describe("the edge and the origin together", () => {
  it("agree: a pass as the edge signs it is good with the keys as the edge publishes them", async () => {
    const keyring = await parseKeyring(JSON.stringify({ active: "k", keys: [await newTokenKey("k")] }));
    if (!keyring.ok) throw new Error(keyring.reason.join());
    const edge = createTokens({ keyring: keyring.value, issuer: ISSUER });
    const published = await startTestGate([]);
    published.answer(200, await jwksResponse(keyring.value).text());
    const keys = fetchedKeys({ url: published.url, log });
    const origin = createPassCheck({ keys, issuer: ISSUER, queueIds: "any", clock: { nowMs: () => NOW_MS }, log });
    const facts = { sessionId: VISITOR_ID, jti: VISITOR_ID, nowMs: NOW_MS, expiresAtMs: NOW_MS + 60_000 };
    for (const queueId of [VENUE, OTHER_QUEUE]) {
      const pass = await edge.signPass({ queueId, ...facts });
      expect(await origin({ pass, path: "/", requestId: undefined })).toMatchObject({
        ok: true,
        value: { queueId, sessionId: VISITOR_ID },
      });
    }
    await published.stop();
  });
});

describe("admitUpgrade", () => {
  it("lets a WebSocket with a valid pass in", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { [PASS_HEADER]: await forge.token() } });
    const [message] = (await once(socket, "message")) as [Buffer];
    expect(message.toString()).toBe(`hello ${VISITOR_ID}`);
    socket.terminate();
  });

  it.each(["/ws", "/health", "/"])("refuses a WebSocket without a pass on %s with 401 and closes", async (path) => {
    const answer = await rawRequest(`GET ${path} HTTP/1.1\r\nHost: origin\r\n${UPGRADE}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    expect(answer).toMatch(/content-type: application\/problem\+json\r\n/);
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ code: "token_invalid", status: 401 });
  });

  it("refuses every forged pass at the handshake too", async () => {
    for (const [name, , make] of forgedPasses) {
      const token = await make(forge);
      if (!FITS_A_HEADER.test(token)) continue;
      const answer = await rawRequest(`GET /ws HTTP/1.1\r\nHost: origin\r\n${PASS_HEADER}: ${token}\r\n${UPGRADE}\r\n`);
      expect(answer, name).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it("lets go of a refused client that does not close its own side", async () => {
    const accepted = once(server, "connection") as Promise<[Socket]>;
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    client.write(`GET /ws HTTP/1.1\r\nHost: origin\r\n${UPGRADE}\r\n`);
    const [socket] = await accepted;
    await once(socket, "close");
    client.destroy();
  });

  it("survives a client that leaves in the middle of the handshake", async () => {
    for (let index = 0; index < 20; index++) {
      const socket = connect(port, "127.0.0.1");
      socket.write(`GET /ws HTTP/1.1\r\nHost: origin\r\n${UPGRADE}\r\n`);
      socket.resetAndDestroy();
    }
    expect((await get("/health")).status).toBe(200);
  });
});

describe("rotation at the origin", () => {
  it("takes the new key's passes at once, the old key's while it retires, and no longer once it is gone", async () => {
    const renewed = await createTokenForge({ kind: "pass", nowSeconds: NOW_MS / 1000, jwk: { ...forge.strangerJwk, kid: "key-2" } });
    const statusOf = async (token: string) => (await get("/whoami", { [PASS_HEADER]: token })).status;
    const oldPass = await forge.token();
    const newPass = await renewed.token();
    expect(await statusOf(oldPass)).toBe(200);
    expect(await statusOf(newPass)).toBe(401);

    gate.publish([renewed.jwk, forge.jwk]);
    elapsedMs += 60_000;
    expect(await statusOf(newPass)).toBe(200);
    expect(await statusOf(oldPass)).toBe(200);

    gate.publish([renewed.jwk]);
    elapsedMs += 60_000;
    await expect.poll(() => statusOf(oldPass)).toBe(401);
    expect(await statusOf(newPass)).toBe(200);
  });
});

const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/** As it stands on the wire: `fetch` would tidy the path and the headers up. */
async function rawRequest(request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  return text(socket);
}
