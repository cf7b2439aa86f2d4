import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { signRequest } from "../../kit/sign-request.ts";
import { createConnector } from "./socket-client.ts";
import { DATABASES, START_MS_MAX, startVenue, type TestVenue } from "./venue.ts";

it.each(DATABASES)(
  "leaves no secret in plain text in Redis' files, the %s database's files or the log",
  async (kind) => {
    const venue = await startVenue(kind);
    const passwords = ["a canary sang at dawn", "another canary at dusk", "a wrong canary at noon"] as const;
    const json = { username: "canary_user", email: "canary@example.test", password: passwords[0] };
    await venue.call("POST", "/auth/register", { json });
    await venue.login("canary_user", { password: passwords[2] });
    const { body } = await venue.login("canary_user", { password: passwords[0] });
    const change = { currentPassword: passwords[0], newPassword: passwords[1] };
    const changed = await venue.call("POST", "/auth/password", { token: body.accessToken, json: change });
    const token = changed.body.accessToken;
    const refreshed = await venue.call("POST", "/auth/refresh", { json: { refreshToken: changed.body.refreshToken } });
    await venue.call("POST", "/auth/refresh", { json: { refreshToken: changed.body.refreshToken } });
    const again = await venue.login("canary_user", { password: passwords[1] });
    const key = await venue.call("POST", "/api-keys", {
      token: again.body.accessToken,
      json: { label: "canary", permissions: ["info"] },
    });
    const external = { key: "EXTERNAL-CANARY-KEY", secret: "external-canary-secret" };
    await venue.call("POST", "/venue-keys", {
      token: again.body.accessToken,
      json: { venue: "indodax", label: "canary", ...external },
    });
    const signer = {
      id: String(key.body["id"]),
      secret: String(key.body["secret"]),
      method: "GET",
      path: "/api/v1/me",
    };
    expect((await venue.call("GET", "/me", { headers: signRequest(signer) })).status).toBe(200);
    await venue.call("GET", "/me", { headers: { ...signRequest(signer), "x-api-timestamp": "x" } });

    await useSocket(venue, again.body.accessToken ?? "");
    // In the order of the writes, and uncompressed: a packed snapshot could hide a secret.
    await venue.redis.config("SET", "rdbcompression", "no");
    await venue.redis.save();
    await venue.database.query("CHECKPOINT", []);
    const folders = [venue.folder, venue.redisServer.folder, ...(kind === "server" ? [venue.postgres.folder] : [])];
    const files = (await Promise.all(folders.map(contentOf))).flat();
    expect(files.map(({ name }) => name).join()).toMatch(/dump\.rdb/);
    expect(files.map(({ name }) => name).join()).toMatch(/appendonly\.aof/);
    const haystack = Buffer.concat([...files.map(({ content }) => content), Buffer.from(venue.logged.join())]);
    // Public values are found, so that a secret that is not found is really absent.
    for (const known of ["canary_user", signer.id, "$argon2id$"]) expect(haystack.includes(known), known).toBe(true);

    const tokens = [body, changed.body, refreshed.body, again.body].flatMap((answer) => [
      ...(answer.accessToken ?? "").split(".").slice(2),
      ...(answer.refreshToken ?? "").split(".").slice(2),
    ]);
    const secrets = [...passwords, ...tokens, signer.secret, ...Object.values(external)];
    expect(secrets.length).toBeGreaterThan(12);
    for (const secret of secrets) {
      for (const form of ["utf8", "hex", "base64"] as const) {
        const text = form === "utf8" ? secret : Buffer.from(secret).toString(form).replace(/=*$/, "");
        expect(haystack.includes(text), `${form} of a secret of ${secret.length} characters`).toBe(false);
      }
    }
    expect(token).toBeDefined();
  },
  START_MS_MAX,
);

/** A valid token in a message, and an invalid one. */
async function useSocket(venue: TestVenue, accessToken: string): Promise<void> {
  const server = await venue.listen();
  const connect = createConnector(venue, () => server.port);
  const client = await connect();
  client.say({ type: "authenticate", accessToken });
  expect(await client.next()).toMatchObject({ type: "authenticated" });
  client.say({ type: "authenticate", accessToken: `${accessToken}x` });
  await client.closed;
}

/** Everything that the stores have written, without PostgreSQL's programs beside it. */
async function contentOf(folder: string): Promise<readonly { readonly name: string; readonly content: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && !/\/(bin|lib|share)(\/|$)/.test(entry.parentPath.slice(folder.length)),
  );
  return Promise.all(
    files.map(async ({ parentPath, name }) => ({ name, content: await readFile(join(parentPath, name)) })),
  );
}
