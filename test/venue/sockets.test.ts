import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Redis } from "ioredis";
import { decodeJwt, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { SESSION_ENDS_CHANNEL } from "../../origin/accounts/identity/keys.ts";
import type { HttpServer } from "../../origin/http-server.ts";
import { CLOSINGS } from "../../origin/live/sockets/messages.ts";
import { PASS_HEADER } from "../../shared/tokens/admission.ts";
import { importTokenKey } from "../../shared/tokens/token-keys.ts";
import { createConnector, type SocketClient } from "./socket-client.ts";
import { passwordOf, startVenue, type TestVenue } from "./venue.ts";

let venue: TestVenue;
let server: HttpServer;
/** Another process's view of the same stores. */
let other: TestVenue;
let otherServer: HttpServer;
let admin: string;
/** The sockets' clock runs ahead of the machine's by this much. */
let aheadMs = 0;

const connect = (options?: Parameters<ReturnType<typeof createConnector>>[0]) =>
  createConnector(venue, () => server.port)(options);
const connectElsewhere = (options?: Parameters<ReturnType<typeof createConnector>>[0]) =>
  createConnector(other, () => otherServer.port)(options);

beforeAll(async () => {
  venue = await startVenue();
  server = await venue.listen({ clock: { nowMs: () => Date.now() + aheadMs } });
  other = await venue.again();
  otherServer = await other.listen();
  admin = (await venue.signInAdmin("root_1")).body.accessToken ?? "";
});

const registered = new Set<string>();

async function signedIn(name: string, open = connect) {
  const { body } = registered.has(name) ? await venue.login(name) : await venue.register(name);
  registered.add(name);
  const client = await open();
  client.say({ type: "authenticate", accessToken: body.accessToken });
  expect(await client.next()).toMatchObject({ type: "authenticated", sessionId: body.sessionId });
  return { client, body, userId: (body["user"] as { id: string }).id };
}

async function refused(headers: Readonly<Record<string, string>>, path = "/api/v1/ws") {
  const given = { [PASS_HEADER]: await venue.pass(), "x-forwarded-host": "venue.test", ...headers };
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { headers: given });
  socket.on("error", () => {});
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return [response.statusCode, (JSON.parse(Buffer.concat(chunks).toString()) as { code: string }).code];
}

describe("GET /api/v1/ws", () => {
  it("accepts an access token in the first message or in the handshake, and answers with the user and the expiry", async () => {
    const { client, body, userId } = await signedIn("anna");
    client.say({ type: "ping", id: 7 });
    expect(await client.next()).toEqual({ type: "pong", id: 7, serverTime: expect.any(Number) });
    const program = await connect({ headers: { authorization: `Bearer ${body.accessToken}` } });
    expect(await program.next()).toEqual({
      type: "authenticated",
      userId,
      sessionId: body.sessionId,
      expiresAt: body["expiresAt"],
    });
    for (const { socket } of [client, program]) socket.close(1000, "bye");
    expect(await client.closed).toEqual([1000, "bye"]);
  });

  it("refuses a handshake without a pass, from another site, with a wrong token or at another path", async () => {
    expect(await refused({ [PASS_HEADER]: "" })).toEqual([401, "token_invalid"]);
    for (const origin of ["https://evil.test", "null", "http://venue.test.evil.test"]) {
      expect(await refused({ origin })).toEqual([403, "other_site_refused"]);
    }
    expect(await refused({ "sec-fetch-site": "cross-site", "sec-fetch-mode": "websocket" })).toEqual([
      403,
      "other_site_refused",
    ]);
    for (const authorization of ["Bearer x", "Basic eDp5", `Bearer ${await venue.pass()}`, ""]) {
      expect(await refused({ authorization }), authorization).toEqual([401, "not_signed_in"]);
    }
    for (const path of ["/api/v1/ws/", "/api/v1/WS", "/api/v1/me", "/ws", "//api/v1/ws"]) {
      expect(await refused({}, path), path).toEqual([404, "not_found"]);
    }
    const own = await connect({ headers: { origin: "https://venue.test" } });
    own.socket.terminate();
  });

  it("answers a plain request with 426, and accepts no other upgrade", async () => {
    const plain = await venue.call("GET", "/ws");
    expect([plain.status, plain.body.code, plain.headers.get("upgrade")]).toEqual([
      426,
      "upgrade_required",
      "websocket",
    ]);
  });

  it.each([
    ["a token that is none", { type: "authenticate", accessToken: "x" }],
    ["an empty token", { type: "authenticate", accessToken: "" }],
  ])("closes on %s", async (_name, message) => {
    const client = await connect();
    client.say(message);
    expect(await client.closed).toEqual([4401, "not_signed_in"]);
  });

  it("closes on the gate's pass instead of a token", async () => {
    const pass = await connect();
    pass.say({ type: "authenticate", accessToken: await venue.pass() });
    expect(await pass.closed).toEqual([4401, "not_signed_in"]);
  });

  it("answers a client that has not signed in, and refuses it private channels only", async () => {
    const client = await connect();
    client.say({ type: "ping" });
    expect(await client.next()).toMatchObject({ type: "pong" });
    client.say({ type: "subscribe", id: 1, channels: ["book:btcidr", "orders"] });
    expect(await client.next()).toMatchObject({ type: "error", id: 1, code: "not_signed_in" });
    client.say({ type: "list", id: 2 });
    expect(await client.next()).toEqual({ type: "subscriptions", id: 2, channels: [] });
    client.say({ type: "subscribe", id: 3, channels: ["book:btcidr"] });
    expect(await client.next()).toEqual({ type: "subscribed", id: 3, channels: ["book:btcidr"] });
    expect(await client.next()).toMatchObject({ channel: "book:btcidr", type: "snapshot", prev: 0 });
    client.socket.terminate();
  });

  it("closes an anonymous client that subscribes to nothing within 30 seconds", async () => {
    const silent = await connect();
    aheadMs = 31_000;
    try {
      expect(await silent.closed).toEqual([4400, "nothing_subscribed"]);
    } finally {
      aheadMs = 0;
    }
  });

  it.each([
    ["what is no JSON", "hello", "json_malformed"],
    ["half a surrogate", '{"type":"ping","id":"\\ud800"}', "json_malformed"],
    ["10,000 levels", "[".repeat(7_000) + "]".repeat(7_000), "validation_failed"],
    ["a prototype", '{"__proto__":{"type":"ping"}}', "validation_failed"],
    ["a kind that is not known", '{"type":"shout"}', "validation_failed"],
    ["half a number", '{"type":"ping","id":1.5}', "validation_failed"],
    ["a name twice", '{"type":"authenticate","type":"ping"}', "json_malformed"],
    ["a token that is a number", '{"type":"authenticate","accessToken":7}', "validation_failed"],
    ["more than was asked for", '{"type":"authenticate","accessToken":"x","role":"admin"}', "validation_failed"],
    ["a token of 8 kB", `{"type":"authenticate","accessToken":"${"x".repeat(8_000)}"}`, "validation_failed"],
    ["no channels", '{"type":"subscribe","channels":[]}', "validation_failed"],
    ["a channel that does not exist", '{"type":"subscribe","channels":["book:nopair"]}', "channel_unknown"],
    ["a channel of no kind", '{"type":"subscribe","channels":["gossip"]}', "channel_unknown"],
    [
      "a position in no channel",
      '{"type":"subscribe","channels":["book:btcidr"],"from":{"book:ethidr":{"epoch":"x","seq":1}}}',
      "resume_invalid",
    ],
    [
      "a position below 0",
      '{"type":"subscribe","channels":["book:btcidr"],"from":{"book:btcidr":{"epoch":"x","seq":-1}}}',
      "validation_failed",
    ],
    [
      "201 channels",
      JSON.stringify({ type: "subscribe", channels: Array.from({ length: 201 }, (_, index) => `book:${index}`) }),
      "validation_failed",
    ],
  ])("names the fault of %s, with and without sign-in, and stays open", async (_name, text, code) => {
    const anonymous = await connect();
    anonymous.say(text);
    expect(await anonymous.next()).toMatchObject({ type: "error", code });
    anonymous.socket.terminate();
    const { client } = await signedIn("berta");
    client.say(text);
    expect(await client.next()).toMatchObject({ type: "error", code });
    client.say({ type: "ping" });
    expect(await client.next()).toMatchObject({ type: "pong" });
    client.socket.terminate();
  });

  it("closes with 1009 on a frame of 16 MB, before and after authentication", async () => {
    const { client } = await signedIn("cora");
    for (const one of [client, await connect()]) {
      one.socket.send("x".repeat(16_000_000));
      expect((await one.closed)[0]).toBe(1009);
    }
  });

  it("closes on a flood of pings or messages, and sends no more pongs than the limit allows", async () => {
    const { client } = await signedIn("dora");
    let pongs = 0;
    client.socket.on("pong", () => pongs++);
    for (let count = 0; count < 5_000; count++) client.socket.ping();
    expect(await client.closed).toEqual([4429, "rate_limited"]);
    expect(pongs).toBeLessThan(100);
    const { client: talker } = await signedIn("dora");
    for (let count = 0; count < 5_000; count++) talker.say({ type: "ping" });
    expect(await talker.closed).toEqual([4429, "rate_limited"]);
  });

  it("opens twenty sockets for one user, without counting closed ones", async () => {
    const { client, body } = await signedIn("many");
    const headers = { authorization: `Bearer ${body.accessToken}` };
    const more = await Promise.all(Array.from({ length: 19 }, () => connect({ headers })));
    await Promise.all(more.map((one) => one.next()));
    expect(await (await connect({ headers })).closed).toEqual([4430, "socket_limit_reached"]);
    client.socket.close();
    await client.closed;
    const again = await connect({ headers });
    expect(await again.next()).toMatchObject({ type: "authenticated" });
    for (const { socket } of [again, ...more]) socket.terminate();
  });
});

describe("a socket ends with its session", () => {
  type SignedIn = Awaited<ReturnType<typeof signedIn>>;
  const ends: [string, (one: SignedIn) => Promise<unknown>][] = [
    ["logging out", ({ body }) => venue.call("POST", "/auth/logout", { token: body.accessToken })],
    [
      "logging out everywhere",
      ({ body }) => venue.call("POST", "/auth/logout-everywhere", { token: body.accessToken }),
    ],
    [
      "ending it in the list of sessions",
      ({ body }) => venue.call("DELETE", `/sessions/${body.sessionId}`, { token: body.accessToken }),
    ],
    [
      "a new password",
      ({ body, userId }) =>
        venue.call("POST", "/auth/password", {
          token: body.accessToken,
          json: { currentPassword: passwordOf(nameOf.get(userId) ?? ""), newPassword: "an entirely new password" },
        }),
    ],
    [
      "a reused refresh token",
      async ({ body }) => {
        for (let turn = 0; turn < 2; turn++)
          await venue.call("POST", "/auth/refresh", { json: { refreshToken: body.refreshToken } });
      },
    ],
    [
      "suspension",
      ({ userId }) => venue.call("PATCH", `/admin/users/${userId}`, { token: admin, json: { status: "suspended" } }),
    ],
    [
      "an admin who ends its sessions",
      ({ userId }) => venue.call("DELETE", `/admin/users/${userId}/sessions`, { token: admin }),
    ],
    [
      "a suspension that is written into the record by hand",
      ({ userId }) => venue.database.query("UPDATE users SET status = 'suspended' WHERE id = $1", [userId]),
    ],
  ];
  const nameOf = new Map<string, string>();

  it.each(ends.map(([name, end], index) => [name, index, end] as const))(
    "by %s, in every process",
    async (_name, index, end) => {
      const name = `ends_${index}`;
      const here = await signedIn(name);
      nameOf.set(here.userId, name);
      const headers = { authorization: `Bearer ${here.body.accessToken}` };
      const there = await connectElsewhere({ headers });
      expect(await there.next()).toMatchObject({ type: "authenticated" });
      const bystander = await signedIn("bystander");
      await end(here);
      for (const { closed } of [here.client, there]) expect(await closed).toEqual([4403, "session_ended"]);
      bystander.client.say({ type: "ping" });
      expect(await bystander.client.next()).toMatchObject({ type: "pong" });
      bystander.client.socket.terminate();
    },
  );

  it("and not with another session of the same user", async () => {
    const first = await signedIn("erna");
    const second = await signedIn("erna");
    await venue.call("POST", "/auth/logout", { token: first.body.accessToken });
    expect(await first.client.closed).toEqual([4403, "session_ended"]);
    second.client.say({ type: "ping" });
    expect(await second.client.next()).toMatchObject({ type: "pong" });
    second.client.socket.terminate();
  });

  it("also when the message about it is lost: the session is checked every second", async () => {
    const { client, userId } = await signedIn("frida");
    await venue.redis.del(`sessions:${userId}`);
    expect(await client.closed).toEqual([4403, "session_ended"]);
  });

  it("also when the session ended between the token's check and its registration", async () => {
    const { body } = await venue.register("gitta");
    const { id } = body["user"] as { id: string };
    const client = await connect();
    client.say({ type: "authenticate", accessToken: body.accessToken });
    await venue.redis.del(`sessions:${id}`);
    expect([CLOSINGS.session_ended, CLOSINGS.not_signed_in]).toContain((await client.closed)[0]);
  });

  it("immediately when the message arrives: the script that ends the session publishes it", async () => {
    const { body, userId } = await signedIn("hella");
    const listener = new Redis(venue.redisServer.url);
    await listener.subscribe(SESSION_ENDS_CHANNEL);
    const heard = once(listener, "message");
    await venue.call("POST", "/auth/logout", { token: body.accessToken });
    expect(await heard).toEqual([SESSION_ENDS_CHANNEL, `${userId} ${body.sessionId}`]);
    listener.disconnect();
  });

  it("by the message only, before the next check", async () => {
    const { client, userId, body } = await signedIn("helga");
    await venue.redis.publish(SESSION_ENDS_CHANNEL, `${userId} ${body.sessionId}`);
    expect(await client.closed).toEqual([4403, "session_ended"]);
  });

  it("also when the subscribed connection was cut", async () => {
    const { client, body } = await signedIn("ida");
    await venue.redis.call("CLIENT", "KILL", "TYPE", "pubsub");
    await venue.call("POST", "/auth/logout", { token: body.accessToken });
    expect(await client.closed).toEqual([4403, "session_ended"]);
  });

  it("and not because Redis hangs; new sockets are refused meanwhile, and the end is found afterwards", async () => {
    const { client, body } = await signedIn("inge");
    const late = await connect();
    venue.redisServer.freeze();
    try {
      late.say({ type: "authenticate", accessToken: body.accessToken });
      expect(await late.closed).toEqual([1013, "store_unavailable"]);
      expect(await refused({ authorization: `Bearer ${body.accessToken}` })).toEqual([503, "store_unavailable"]);
      client.say({ type: "ping" });
      expect(await client.next()).toMatchObject({ type: "pong" });
    } finally {
      venue.redisServer.thaw();
    }
    const loggedOut = async () => (await venue.call("POST", "/auth/logout", { token: body.accessToken })).status;
    await expect.poll(loggedOut).toBe(204);
    expect(await client.closed).toEqual([4403, "session_ended"]);
  });
});

describe("a socket's token", () => {
  const BRIEF_SECONDS = 30;

  /** As the venue signs it, with a shorter life. */
  async function briefToken(accessToken: string): Promise<string> {
    const { iat = 0, ...claims } = decodeJwt(accessToken);
    return new SignJWT({ ...claims, iat, exp: iat + BRIEF_SECONDS })
      .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: venue.identityKey.kid })
      .sign(await importTokenKey(venue.identityKey));
  }

  it("expires, unless a newer one of the same session arrives in time", async () => {
    const { body } = await venue.register("jana");
    const brief = await briefToken(body.accessToken ?? "");
    const [lapses, stays] = [await connect(), await connect()];
    for (const client of [lapses, stays]) {
      client.say({ type: "authenticate", accessToken: brief });
      expect(await client.next()).toMatchObject({ type: "authenticated" });
    }
    stays.say({ type: "authenticate", accessToken: body.accessToken });
    expect(await stays.next()).toMatchObject({ type: "authenticated", expiresAt: body["expiresAt"] });
    aheadMs = BRIEF_SECONDS * 1000 + 1_000;
    try {
      expect(await lapses.closed).toEqual([4408, "token_expired"]);
      stays.say({ type: "ping" });
      expect(await stays.next()).toMatchObject({ type: "pong" });
    } finally {
      aheadMs = 0;
      stays.socket.terminate();
    }
  });

  it("cannot be replaced by another session's token", async () => {
    const { client } = await signedIn("karla");
    const stranger = await venue.register("stranger");
    client.say({ type: "authenticate", accessToken: stranger.body.accessToken });
    expect(await client.closed).toEqual([4401, "not_signed_in"]);
  });
});

describe("a socket is closed", () => {
  it("with 4409 when its owner's role changes, so that no permission outlives the role", async () => {
    const { client, userId } = await signedIn("lisa");
    await venue.call("PATCH", `/admin/users/${userId}`, { token: admin, json: { role: "admin" } });
    expect(await client.closed).toEqual([4409, "role_changed"]);
    await venue.call("PATCH", `/admin/users/${userId}`, { token: admin, json: { role: "user" } });
  });

  it("with 4503 and the message when maintenance begins, except for admins, and new ones are refused", async () => {
    const { client, body } = await signedIn("mona");
    const admins = await connect({ headers: { authorization: `Bearer ${admin}` } });
    await admins.next();
    const settings = {
      maintenanceMode: true,
      maintenanceMessage: "Back at noon.",
      maxOpenOrders: 50,
      minVolumeFilter: "1",
    };
    await venue.call("PUT", "/admin/system", { token: admin, json: settings });
    try {
      expect(await client.next()).toEqual({ type: "error", code: "venue_maintenance", detail: "Back at noon." });
      expect(await client.closed).toEqual([4503, "venue_maintenance"]);
      const late = await connect({ headers: { authorization: `Bearer ${body.accessToken}` } });
      expect(await late.closed).toEqual([4503, "venue_maintenance"]);
      admins.say({ type: "ping" });
      expect(await admins.next()).toMatchObject({ type: "pong" });
    } finally {
      await venue.call("PUT", "/admin/system", { token: admin, json: { ...settings, maintenanceMode: false } });
      admins.socket.terminate();
    }
  });

  it("with 1001 when the process stops, and the stop is not delayed", async () => {
    const short = await venue.listen();
    const client: SocketClient = await createConnector(venue, () => short.port)();
    await short.stop();
    expect(await client.closed).toEqual([1001, "stopping"]);
  });

  it("without a close frame after two unanswered pings", async () => {
    const { client } = await signedIn("nina");
    aheadMs = 46_000;
    try {
      expect((await client.closed)[0]).toBe(1006);
    } finally {
      aheadMs = 0;
    }
  });

  it("only with codes that docs/errors.md lists", async () => {
    const documented = await readFile(new URL("../../docs/errors.md", import.meta.url), "utf8");
    for (const [reason, code] of Object.entries(CLOSINGS))
      expect(documented, reason).toContain(`| ${code} | \`${reason}\` |`);
  });
});
