import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { jwksResponse } from "../../../edge/tokens/jwks.ts";
import { createTokens } from "../../../edge/tokens/tokens.ts";
import { forgedPasses } from "../../../kit/forged-tokens.ts";
import { startTestGate, type TestGate } from "../../../kit/test-gate.ts";
import { createTokenForge, ISSUER, OTHER_QUEUE, type TokenForge, VENUE, VISITOR_ID } from "../../../kit/token-forge.ts";
import { problemResponse } from "../../../shared/http/errors.ts";
import { PASS_HEADER } from "../../../shared/tokens/admission.ts";
import { parseKeyring } from "../../../shared/tokens/keyring.ts";
import { newTokenKey } from "../../../shared/tokens/new-token-key.ts";
import { createLogger } from "../../../stack/program/log.ts";
import { type AdmissionVariables, admission, createPassCheck, type PassCheck } from "./admission.ts";
import { admitUpgrade } from "./admit-upgrade.ts";
import { fetchedKeys } from "./fetched-keys.ts";

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

/** Texts that a header can carry: HTTP trims spaces. */
const FITS_A_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

describe("admission", () => {
  it("admits a valid pass and gives it to the handler", async () => {
    const response = await get("/whoami", { [PASS_HEADER]: await forge.token() });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ sessionId: VISITOR_ID });
  });

  it("admits the edge's own open pass", async () => {
    const response = await get("/whoami", { [PASS_HEADER]: await forge.token({ claims: { sub: "open" } }) });
    expect(await response.json()).toEqual({ sessionId: "open" });
  });

  it("refuses a pass without a slot, which is valid only at the gate", async () => {
    const response = await get("/whoami", { [PASS_HEADER]: await forge.token({ claims: { slotless: true } }) });
    expect([response.status, await response.json()]).toMatchObject([401, { code: "token_invalid" }]);
  });

  it("answers /health without a pass", async () => {
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

  it("refuses a pass in a cookie, in Authorization or under a similar name", async () => {
    const token = await forge.token();
    for (const headers of [
      { cookie: `sluice-pass-venue=${token}` },
      { authorization: `Bearer ${token}` },
      { x_sluice_pass: token },
    ]) {
      expect((await get("/whoami", headers as Record<string, string>)).status).toBe(401);
    }
  });

  it("refuses two passes at once, though both are valid", async () => {
    const token = await forge.token();
    const lines = `${PASS_HEADER}: ${token}\r\n${PASS_HEADER}: ${token}\r\n`;
    const answer = await rawRequest(`GET /whoami HTTP/1.1\r\nHost: origin\r\n${lines}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it("names the reason in the log and never the token", async () => {
    logged.length = 0;
    const token = await forge.token({ claims: { aud: `sluice:pass:${OTHER_QUEUE}` } });
    await get("/whoami", { [PASS_HEADER]: token, "x-request-id": "r-7" });
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { reason: "audience_wrong", path: "/whoami", requestId: "r-7" },
    ]);
    expect(logged.join()).not.toContain(token);
  });

  it("answers 503 with Retry-After, neither 401 nor 500, while the gate's keys are unavailable", async () => {
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
  it("agree: a pass that the edge signs is valid with the keys that the edge publishes", async () => {
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
  it("admits a WebSocket with a valid pass", async () => {
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

  it("disconnects a refused client that does not close its own side", async () => {
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
  it("accepts the new key's passes immediately, the old key's while it retires, and not after its removal", async () => {
    const renewed = await createTokenForge({
      kind: "pass",
      nowSeconds: NOW_MS / 1000,
      jwk: { ...forge.strangerJwk, kid: "key-2" },
    });
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

const UPGRADE =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/** The exact bytes: `fetch` would normalize path and headers. */
async function rawRequest(request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  return text(socket);
}
