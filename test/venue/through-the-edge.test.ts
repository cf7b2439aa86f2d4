import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startStack } from "../../kit/running-stack.ts";
import { signRequest } from "../../kit/sign-request.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { createVisitor, JSON_PLEASE, type Seen } from "../gate/visitor.ts";
import { openSocket } from "./socket-client.ts";
import { START_MS_MAX } from "./venue.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const COMMAND = ["stack/prepare.mjs", "origin/operators/main.ts", "admin", "create"];

it(
  "accounts, sessions, keys and sockets work through the gate of a started stack, and leave no secret in its files",
  async () => {
    const folder = await temporaryFolder();
    const stack = await startStack({ folder });
    const visitor = createVisitor(stack.url);
    const ask = (method: string, path: string, { json, token, headers = {} }: Asked = {}): Promise<Seen> => {
      const body = json === undefined ? undefined : JSON.stringify(json);
      const own = { ...JSON_PLEASE, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers };
      return visitor.send(
        method,
        `/api/v1${path}`,
        token === undefined ? own : { ...own, authorization: `Bearer ${token}` },
        body,
      );
    };

    // The gate cannot be bypassed.
    expect((await fetch(`http://127.0.0.1:${stack.ports.origin}/api/v1/me`)).status).toBe(401);
    expect((await ask("GET", "/openapi.json")).status).toBe(200);
    // A visitor of the bare address is redirected.
    expect((await visitor.get("/", { accept: "text/html" })).text).toContain('href="/demo/"');

    const password = "a canary sang at dawn";
    const registered = await ask("POST", "/auth/register", {
      json: { username: "anna", email: "anna@example.test", password },
    });
    expect(registered.status).toBe(201);
    const { json: signedIn } = await ask("POST", "/auth/login", { json: { email: "anna@example.test", password } });
    const { json: renewed } = await ask("POST", "/auth/refresh", { json: { refreshToken: signedIn["refreshToken"] } });
    const token = String(renewed["accessToken"]);
    expect((await ask("GET", "/me", { token })).json).toMatchObject({ username: "anna", role: "user" });
    expect((await ask("GET", "/admin/users", { token })).json["code"]).toBe("not_allowed");

    const { json: key } = await ask("POST", "/api-keys", {
      token,
      json: { label: "bot", permissions: ["info"], cidrs: ["127.0.0.1"] },
    });
    const signer = { id: String(key["id"]), secret: String(key["secret"]), method: "GET", path: "/api/v1/me" };
    expect((await ask("GET", "/me", { headers: signRequest(signer) })).json["username"]).toBe("anna");
    const replayed = signRequest({ ...signer, nonce: "again" });
    expect([
      (await ask("GET", "/me", { headers: replayed })).status,
      (await ask("GET", "/me", { headers: replayed })).json["code"],
    ]).toEqual([200, "request_replayed"]);

    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...COMMAND, "--username", "root_1", "--email", "root@example.test"],
      {
        cwd: root,
        env: { ...process.env, SLUICE_DATA_DIR: folder },
      },
    );
    const adminPassword = /shown only once: (\S+)/.exec(stdout)?.[1] ?? "";
    const { json: admin } = await ask("POST", "/auth/login", { json: { username: "root_1", password: adminPassword } });

    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const socketUrl = `${stack.url.replace("http", "ws")}/api/v1/ws`;
    const socket = await openSocket(socketUrl, { headers: { cookie, origin: stack.url } });
    socket.say({ type: "authenticate", accessToken: token });
    expect(await socket.next()).toMatchObject({ type: "authenticated" });
    socket.say({ type: "ping", id: "here" });
    expect(await socket.next()).toMatchObject({ type: "pong", id: "here" });
    socket.say({ type: "subscribe", channels: ["book:btcidr", "balances"] });
    expect(await socket.next()).toMatchObject({ type: "subscribed" });
    const first = [await socket.next(), await socket.next()].map(({ channel, type }) => [channel, type]);
    expect(first.sort()).toEqual([
      ["balances", "snapshot"],
      ["book:btcidr", "snapshot"],
    ]);
    expect(await firstEvent(`${stack.url}/api/v1/stream?channels=book:btcidr,trades:btcidr`, cookie)).toMatch(
      /^retry: 2000\n\nid: [\w-]{10}\.\d+-\d+\ndata: \{"channel":"book:btcidr"/,
    );
    await expect(openSocket(socketUrl, { headers: { cookie, origin: "https://evil.test" } })).rejects.toThrow("403");

    const users = await ask("GET", "/admin/users?search=anna", { token: String(admin["accessToken"]) });
    const [{ id }] = users.json["users"] as [{ id: string }];
    await ask("PATCH", `/admin/users/${id}`, { token: String(admin["accessToken"]), json: { status: "suspended" } });
    expect(await socket.closed).toEqual([4403, "session_ended"]);
    expect((await ask("GET", "/me", { token })).json["code"]).toBe("not_signed_in");
    expect((await ask("GET", "/me", { headers: signRequest(signer) })).json["code"]).toBe("signature_invalid");

    stack.process.kill("SIGINT");
    expect(await stack.exited).toBe(0);
    const written = await contentOf(folder);
    expect(written.includes("anna@example.test")).toBe(true);
    const tokens = [registered.json, signedIn, renewed, admin].flatMap(({ accessToken, refreshToken }) => [
      accessToken,
      refreshToken,
    ]);
    const parts = tokens.flatMap((text) => String(text).split(".").slice(2));
    for (const secret of [password, adminPassword, signer.secret, ...parts])
      expect(written.includes(secret)).toBe(false);
  },
  START_MS_MAX,
);

type Asked = { readonly json?: unknown; readonly token?: string; readonly headers?: Readonly<Record<string, string>> };

async function contentOf(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Buffer.concat(await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))));
}

/** Reads an event stream up to its first event. */
async function firstEvent(url: string, cookie: string): Promise<string> {
  const stopping = new AbortController();
  const response = await fetch(url, { headers: { cookie }, signal: stopping.signal });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    if (text.includes("data: ")) break;
  }
  stopping.abort();
  return text;
}
