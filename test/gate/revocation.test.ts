// @module-tag timing: a revoked session ends at every edge within 2 s.
import { once } from "node:events";
import { decodeJwt } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { revokePassScript } from "../../edge/admit/sessions/revocation-scripts.ts";
import { queueKeys, revocationKey } from "../../edge/line/keys.ts";
import { openLine } from "../../edge/line/line.ts";
import { steadyNowMs } from "../../kit/steady-clock.ts";
import { scriptRunner } from "../../origin/redis/script-runner.ts";
import { startGateStack } from "./gate-stack.ts";
import { createVisitor, JSON_PLEASE, until, type Visitor } from "./visitor.ts";

const stack = await startGateStack({ edgeCount: 2 });
const { origin, edges } = stack;
const [here, there] = edges.map(({ url }) => url) as [string, string];
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64_000_000 });

/** Two seconds, and what a busy machine takes to ask. */
const HEARD_MS_MAX = 3_000;

beforeEach(() => origin.reset());

const runner = scriptRunner(stack.redis);
const lineOf = (queueId: string) => openLine({ store: runner, queueId, ticketLifeMs: 60_000, random: () => 0.5 });
const passOf = (visitor: Visitor, queueId: string) => visitor.cookies.get(`sluice-pass-${queueId}`) ?? "";
const sessionOf = (visitor: Visitor, queueId: string) => String(decodeJwt(passOf(visitor, queueId)).sub);

let asked = 0;

/** Whether the origin saw a request with this pass. Each has its own path: several ask at the same time. */
async function isServed(url: string, queueId: string, pass: string): Promise<boolean> {
  const path = `/${queueId}/asked-${asked++}`;
  await createVisitor(url).get(path, { cookie: `sluice-pass-${queueId}=${pass}` });
  return origin.requests.some((request) => request.url === path && request.headers.get("x-sluice-pass")?.[0] === pass);
}

describe("a revoked session", () => {
  it("is refused at every edge within 2 s (fast)", async () => {
    await stack.setQueue("fast", { revocationCheck: "fast" });
    const visitor = createVisitor(here);
    await visitor.get("/fast/");
    const pass = passOf(visitor, "fast");
    expect([await isServed(here, "fast", pass), await isServed(there, "fast", pass)]).toEqual([true, true]);
    await lineOf("fast").end({ sessionId: sessionOf(visitor, "fast"), reason: "revoked" });
    const took = await Promise.all([here, there].map((url) => until(async () => !(await isServed(url, "fast", pass)))));
    for (const ms of took) expect(ms).toBeLessThan(HEARD_MS_MAX);
    const refused = await visitor.get("/fast/x", JSON_PLEASE);
    expect([refused.status, refused.json]).toEqual([403, { state: "ended", queueId: "fast", reason: "revoked" }]);
  });

  it("is refused at once (strict)", async () => {
    await stack.setQueue("strict", { revocationCheck: "strict" });
    const visitor = createVisitor(here);
    await visitor.get("/strict/");
    const pass = passOf(visitor, "strict");
    expect(await isServed(there, "strict", pass)).toBe(true);
    await lineOf("strict").end({ sessionId: sessionOf(visitor, "strict"), reason: "revoked" });
    expect([await isServed(here, "strict", pass), await isServed(there, "strict", pass)]).toEqual([false, false]);
  });

  it("can be of one pass only: another pass of the same session stays valid", async () => {
    await stack.setQueue("single", { revocationCheck: "strict" });
    const entered = await createVisitor(here).send("POST", "/_sluice/queues/single/enter");
    const pass = String(entered.json["pass"]);
    const jti = String(decodeJwt(pass).jti);
    const keys = { revoked: queueKeys("single").revoked, revocation: revocationKey("single", jti) };
    const revoke = () => revokePassScript.run(runner, { keys, args: { jti, reason: "lost laptop", keepMs: 60_000 } });
    expect([await revoke(), await revoke()]).toEqual([1, 0]);
    expect(await isServed(here, "single", pass)).toBe(false);
    await stack.setQueue("single", { revocationCheck: "fast" });
    await until(async () => !(await isServed(there, "single", pass)), { withinMs: HEARD_MS_MAX });
    expect(await stack.redis.zscore("queue:{single}:active", String(decodeJwt(pass).sub))).not.toBeNull();
  });

  it.each(["fast", "strict"] as const)(
    "stays refused in a queue that was deleted and made again, as does every other pass (%s)",
    async (revocationCheck) => {
      const queueId = `again-${revocationCheck}`;
      await stack.setQueue(queueId, { revocationCheck });
      const visitor = createVisitor(here);
      await visitor.get(`/${queueId}/`);
      const other = createVisitor(there);
      await other.get(`/${queueId}/`);
      await lineOf(queueId).end({ sessionId: sessionOf(visitor, queueId), reason: "revoked" });
      const { settings } = (await stack.registry.readQueue(queueId)) ?? {};
      await stack.registry.deleteQueue(queueId, { force: true });
      if (settings !== undefined) await stack.registry.writeQueue(queueId, settings, 0);
      // An edge that starts now knows it only from the store.
      const fresh = await stack.startEdge();
      const isOut = async (url: string, pass: string) => !(await isServed(url, queueId, pass));
      expect([
        await isOut(fresh.url, passOf(visitor, queueId)),
        await isOut(fresh.url, passOf(other, queueId)),
      ]).toEqual([true, true]);
      for (const url of [here, there])
        await until(() => isOut(url, passOf(other, queueId)), { withinMs: HEARD_MS_MAX });
      // Signed in another second than the one in which the queue was deleted.
      const newcomer = createVisitor(fresh.url);
      await until(async () => (await newcomer.get(`/${queueId}/`)).setCookies.length === 0);
      expect(await isServed(fresh.url, queueId, passOf(newcomer, queueId))).toBe(true);
      await fresh.stop();
    },
  );

  it("gets the state from heartbeat", async () => {
    await stack.setQueue("told", { revocationCheck: "strict" });
    const entered = await createVisitor(here).send("POST", "/_sluice/queues/told/enter");
    await lineOf("told").end({ sessionId: String(entered.json["sessionId"]), reason: "revoked" });
    const bearer = { authorization: `Bearer ${String(entered.json["pass"])}` };
    expect((await createVisitor(there).send("POST", "/_sluice/queues/told/heartbeat", bearer)).json).toEqual({
      state: "ended",
      queueId: "told",
      reason: "revoked",
    });
  });
});

describe("the origin's command", () => {
  const command = (text: string) =>
    origin.answerWith((_request, response) => {
      response.setHeader("x-sluice-command", text);
      response.end("done");
    });

  it.each([
    ["complete", "completed"],
    ["revoke", "revoked"],
  ])("%s ends the session, clears the pass, frees the slot, and never reaches the client", async (text, reason) => {
    await stack.setQueue(`command-${text}`, { maxActive: 1 });
    const visitor = createVisitor(here);
    await visitor.get(`/command-${text}/`);
    const pass = passOf(visitor, `command-${text}`);
    const sessionId = sessionOf(visitor, `command-${text}`);
    command(text);
    const seen = await visitor.get(`/command-${text}/last`);
    expect([seen.text, seen.headers.has("x-sluice-command")]).toEqual(["done", false]);
    expect(visitor.cookies.size).toBe(0);
    await until(async () => (await stack.redis.get(`queue:{command-${text}}:used:${sessionId}`)) === reason);
    expect(await stack.redis.zcard(`queue:{command-${text}}:active`)).toBe(0);
    origin.reset();
    expect(await isServed(here, `command-${text}`, pass)).toBe(false);
  });
});

async function openSocket(url: string, visitor: Visitor, path: string) {
  origin.reset();
  const accepted = new Promise<WebSocket>((resolve) => {
    origin.upgradeWith((request, socket, head) => sockets.handleUpgrade(request, socket, head, resolve));
  });
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const client = new WebSocket(`${url.replace("http", "ws")}${path}`, {
    headers: { cookie },
    perMessageDeflate: false,
  });
  const opened = once(client, "open");
  const atOrigin = await accepted;
  await opened;
  return { client, atOrigin };
}

describe("an open WebSocket behind the gate", () => {
  it("carries messages, binary and text, both ways, and close codes with their reasons", async () => {
    await stack.setQueue("ws");
    const visitor = createVisitor(here);
    await visitor.get("/ws/");
    const { client, atOrigin } = await openSocket(here, visitor, "/ws/socket");
    atOrigin.on("message", (data, isBinary) => atOrigin.send(data, { binary: isBinary }));
    for (const message of ["grüße", "", Buffer.from([0, 255, 1]), Buffer.alloc(0), Buffer.alloc(900_000, 7)]) {
      client.send(message);
      const [echo, isBinary] = (await once(client, "message")) as [Buffer, boolean];
      expect(isBinary ? echo.equals(message as Buffer) : echo.toString() === message).toBe(true);
    }
    const closedAtOrigin = once(atOrigin, "close");
    client.close(4321, "bye");
    expect(((await closedAtOrigin) as [number, Buffer]).map(String)).toEqual(["4321", "bye"]);
    const other = await openSocket(here, visitor, "/ws/socket");
    const closedAtClient = once(other.client, "close");
    other.atOrigin.close(1000, "done");
    expect(((await closedAtClient) as [number, Buffer]).map(String)).toEqual(["1000", "done"]);
    const last = await openSocket(here, visitor, "/ws/socket");
    const gone = once(last.atOrigin, "close");
    last.client.terminate();
    await gone;
  });

  it.each([1004, 65_535])("ends at the origin too when its client closes with the reserved code %d", async (code) => {
    await stack.setQueue("ws-code");
    const visitor = createVisitor(here);
    await visitor.get("/ws-code/");
    const { client, atOrigin } = await openSocket(here, visitor, "/ws-code/socket");
    for (const end of [client, atOrigin]) end.on("error", () => {});
    const closed = new Promise((resolve) => atOrigin.on("close", resolve));
    const frame = Buffer.from([0x88, 0x82, 0, 0, 0, 0, code >> 8, code & 0xff]);
    (client as unknown as { readonly _socket: { readonly write: (bytes: Buffer) => void } })._socket.write(frame);
    await closed;
    client.terminate();
  });

  it.each(["fast", "strict"] as const)(
    "is closed with 4001 within 2 s when its session is revoked (%s)",
    async (revocationCheck) => {
      const queueId = `ws-${revocationCheck}`;
      await stack.setQueue(queueId, { revocationCheck });
      const visitor = createVisitor(here);
      await visitor.get(`/${queueId}/`);
      const { client, atOrigin } = await openSocket(there, visitor, `/${queueId}/socket`);
      const closed = Promise.all([once(client, "close"), once(atOrigin, "close")]);
      const startedAt = steadyNowMs();
      await lineOf(queueId).end({ sessionId: sessionOf(visitor, queueId), reason: "revoked" });
      const codes = (await closed).map(([code, reason]) => `${Number(code)} ${String(reason)}`);
      expect(codes).toEqual(["4001 revoked", "4001 revoked"]);
      expect(steadyNowMs() - startedAt).toBeLessThan(HEARD_MS_MAX);
    },
  );
});
