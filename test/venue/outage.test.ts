import { hash } from "@node-rs/argon2";
import { beforeAll, describe, expect, it } from "vitest";
import { signRequest } from "../../kit/sign-request.ts";
import { createRefreshTokens } from "../../origin/accounts/identity/refresh-tokens.ts";
import { openSessions } from "../../origin/accounts/identity/sessions.ts";
import { systemRandom } from "../../shared/ids.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { passwordOf, startVenue, type TestVenue } from "./venue.ts";

let venue: TestVenue;

beforeAll(async () => {
  venue = await startVenue();
  await venue.register("anna");
});

describe("the copies of accounts", () => {
  it("are complete again after a start on an empty Redis, and unknown ones are removed", async () => {
    const { id } = (await venue.login("anna")).body["user"] as { id: string };
    await venue.redis.flushall();
    const stray = "01890000-0000-7000-8000-000000000001";
    await venue.redis.sadd("users:all", stray);
    await venue.redis.hset(`user:${stray}`, await strayUser(stray));
    await venue.redis.mset("username_index:stray", stray, "email_index:stray@example.test", stray);
    const again = await venue.again();
    expect((await again.login("anna")).status).toBe(200);
    expect(await venue.redis.smembers("users:all")).toEqual([id]);
    expect(await venue.redis.exists(`user:${stray}`, "username_index:stray", "email_index:stray@example.test")).toBe(0);
  });

  it("follow changes of the record, and never go back", async () => {
    const { id } = (await venue.login("anna")).body["user"] as { id: string };
    await venue.database.query("UPDATE users SET role = 'admin' WHERE id = $1", [id]);
    await expect.poll(() => venue.redis.hget(`user:${id}`, "role")).toBe("admin");
    // The lists follow the copy.
    await expect.poll(() => venue.redis.sismember("users:role:admin", id)).toBe(1);
    await expect.poll(() => venue.redis.sismember("users:role:user", id)).toBe(0);
    await venue.redis.hset(`user:${id}`, "revision", "1000", "role", "user");
    await venue.database.query("UPDATE users SET last_login_at = now() WHERE id = $1", [id]);
    await venue.login("anna");
    expect(await venue.redis.hget(`user:${id}`, "role")).toBe("user");
  });
});

describe("many changes at once", () => {
  it("are all copied, also those beyond one page with the same time", async () => {
    const values =
      "md5(n::text)::uuid, 'crowd_' || n, 'crowd_' || n || '@example.test', '$argon2id$v=19$m=19456,t=2,p=1$x$y'";
    const from = "FROM generate_series(1, 1200) AS n";
    await venue.database.query(`INSERT INTO users (id, username, email, password_hash) SELECT ${values} ${from}`, []);
    await expect.poll(async () => Number(await venue.redis.scard("users:all"))).toBeGreaterThanOrEqual(1_200);
    expect(
      await venue.redis.exists(...Array.from({ length: 1_200 }, (_, index) => `username_index:crowd_${index + 1}`)),
    ).toBe(1_200);
  });
});

describe("a process that dies between the record and the copy", () => {
  it("leaves no session that a new password should have ended: the next pass ends it", async () => {
    const { body } = await venue.register("bert");
    const { id } = body["user"] as { id: string };
    const { body: kept } = await venue.login("anna");
    const another = await hash("an entirely new password");
    await venue.database.query("UPDATE users SET password_hash = $2 WHERE id = $1", [id, another]);
    await expect.poll(async () => (await venue.call("GET", "/me", { token: body.accessToken })).status).toBe(401);
    expect((await venue.call("POST", "/auth/refresh", { json: { refreshToken: body.refreshToken } })).status).toBe(401);
    expect((await venue.login("bert", { password: "an entirely new password" })).status).toBe(200);
    expect((await venue.call("GET", "/me", { token: kept.accessToken })).status).toBe(200);
  });
});

describe("ending sessions older than a given time", () => {
  it("keeps newer ones", async () => {
    const random = systemRandom;
    const sessions = openSessions({
      redis: venue.redis,
      random,
      refreshTokens: createRefreshTokens({ key: Buffer.alloc(32), random }),
    });
    const before = await sessions.open("somebody", "before");
    await expect.poll(async () => (await sessions.open("somebody", "since")).nowMs).toBeGreaterThan(before.nowMs);
    await sessions.endAll("somebody", before.nowMs + 1);
    const left = await sessions.list("somebody");
    expect(left.length).toBeGreaterThan(0);
    expect(left.map(({ userAgent }) => userAgent)).not.toContain("before");
    await sessions.endAll("somebody");
    expect(await sessions.list("somebody")).toEqual([]);
  });
});

describe("when PostgreSQL is unavailable", () => {
  it("sign-in, refresh and sessions work; registration and a new password get 503, and are not executed later", async () => {
    const { body } = await venue.login("anna");
    venue.postgres.freeze();
    try {
      const [registered, signedIn, changed] = await Promise.all([
        venue.register("late"),
        venue.login("anna"),
        venue.call("POST", "/auth/password", {
          token: body.accessToken,
          json: { currentPassword: passwordOf("anna"), newPassword: "an entirely new password" },
        }),
      ]);
      expect([registered.status, registered.body.code]).toEqual([503, "database_unavailable"]);
      expect(registered.headers.get("retry-after")).toBe("2");
      expect(signedIn.status).toBe(200);
      expect(
        (await venue.call("POST", "/auth/refresh", { json: { refreshToken: signedIn.body.refreshToken } })).status,
      ).toBe(200);
      expect([changed.status, (await venue.call("GET", "/me", { token: body.accessToken })).status]).toEqual([
        503, 200,
      ]);
    } finally {
      venue.postgres.thaw();
    }
    const count = () =>
      venue.database
        .query("SELECT count(*)::int AS count FROM users WHERE username = 'late'", [])
        .catch(() => undefined);
    await expect.poll(count).toEqual([{ count: 0 }]);
    expect((await venue.login("anna")).status).toBe(200);
    expect((await venue.register("late")).status).toBe(201);
  });
});

describe("when PostgreSQL is unavailable, an API key", () => {
  it("works; creating a new one gets 503", async () => {
    const { accessToken: token } = (await venue.register("carl")).body;
    const make = () => venue.call("POST", "/api-keys", { token, json: { label: "bot", permissions: ["info"] } });
    const { body } = await make();
    const signer = { id: String(body["id"]), secret: String(body["secret"]), method: "GET", path: "/api/v1/me" };
    venue.postgres.freeze();
    try {
      expect((await venue.call("GET", "/me", { headers: signRequest(signer) })).status).toBe(200);
      expect((await make()).body.code).toBe("database_unavailable");
    } finally {
      venue.postgres.thaw();
    }
    await expect.poll(async () => (await venue.call("GET", "/api-keys", { token })).status).toBe(200);
  });
});

describe("when the venue's Redis is unavailable", () => {
  it("every request gets 503 within a second, and works again when Redis is back", async () => {
    const { body } = await venue.login("anna");
    venue.redisServer.freeze();
    try {
      const hanging = await venue.call("GET", "/me", { token: body.accessToken });
      expect([hanging.status, hanging.body.code]).toEqual([503, "store_unavailable"]);
    } finally {
      venue.redisServer.thaw();
    }
    await expect.poll(async () => (await venue.call("GET", "/me", { token: body.accessToken })).status).toBe(200);

    await venue.redisServer.stop();
    const answers = await Promise.all([
      venue.login("anna"),
      venue.call("GET", "/me", { token: body.accessToken }),
      venue.register("later"),
    ]);
    expect(answers.map((answer) => [answer.status, answer.body.code])).toEqual(
      Array.from({ length: 3 }, () => [503, "store_unavailable"]),
    );
    const back = await startRedisServer({
      folder: venue.redisServer.folder,
      fsync: "always",
      port: venue.redisServer.port,
    });
    try {
      await expect.poll(async () => (await venue.call("GET", "/me", { token: body.accessToken })).status).toBe(200);
      await expect.poll(async () => (await venue.login("anna")).status).toBe(200);
    } finally {
      await back.stop();
    }
  });
});

async function strayUser(id: string): Promise<Record<string, string>> {
  const times = { created_at: "1", updated_at: "1", last_login_at: "" };
  return {
    id,
    username: "stray",
    email: "stray@example.test",
    password_hash: "x",
    role: "user",
    status: "active",
    revision: "1",
    ...times,
  };
}
