import { hash as bcrypt } from "@node-rs/bcrypt";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { withLastCharacterChanged } from "../../kit/token-forge.ts";
import { DATABASES_TESTED, passwordOf, START_MS_MAX, startVenue, type TestVenue } from "./venue.ts";

describe.each(DATABASES_TESTED)("on the %s database", (kind) => {
  let venue: TestVenue;

  beforeAll(async () => {
    venue = await startVenue(kind);
  }, START_MS_MAX);

  const me = (token: string | undefined) => venue.call("GET", "/me", { token });
  const refresh = (refreshToken: string | undefined) => venue.call("POST", "/auth/refresh", { json: { refreshToken } });

  describe("a new account", () => {
    it("is signed in immediately, and written to PostgreSQL first and then to Redis", async () => {
      const { status, body, headers } = await venue.call("POST", "/auth/register", {
        json: { username: "Anna_1", email: " Anna@Example.TEST ", password: passwordOf("anna_1") },
      });
      expect(status).toBe(201);
      expect(headers.get("cache-control")).toBe("no-store");
      const user = body["user"] as { id: string };
      expect(user).toMatchObject({
        username: "anna_1",
        email: "anna@example.test",
        role: "user",
        status: "active",
        lastLoginAt: null,
      });
      expect(JSON.stringify(body)).not.toContain("$argon2");
      expect((await me(body.accessToken)).body).toEqual(user);

      const rows = await venue.database.query("SELECT username, email, password_hash FROM users WHERE id = $1", [
        user.id,
      ]);
      expect(rows).toEqual([
        {
          username: "anna_1",
          email: "anna@example.test",
          password_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
        },
      ]);
      expect(await venue.redis.hgetall(`user:${user.id}`)).toMatchObject({
        id: user.id,
        username: "anna_1",
        role: "user",
        status: "active",
      });
      expect(await venue.redis.mget("username_index:anna_1", "email_index:anna@example.test")).toEqual([
        user.id,
        user.id,
      ]);
      expect(await venue.redis.sismember("users:all", user.id)).toBe(1);
      expect(await venue.redis.sismember("users:role:user", user.id)).toBe(1);
    });

    it("cannot reuse a name or an address, and the answer does not say which was in use", async () => {
      await venue.register("berta");
      const json = { username: "berta", email: "other@example.test", password: passwordOf("x") };
      const sameName = await venue.call("POST", "/auth/register", { json });
      const sameMail = await venue.call("POST", "/auth/register", {
        json: { ...json, username: "berta2", email: "BERTA@example.test" },
      });
      expect([sameName.status, sameName.body.code]).toEqual([409, "account_exists"]);
      expect(sameMail.text).toBe(sameName.text);
    });

    it("is created once by twenty concurrent requests", async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => venue.register("twenty")));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
      expect(
        await venue.database.query("SELECT count(*)::int AS count FROM users WHERE username = 'twenty'", []),
      ).toEqual([{ count: 1 }]);
    });

    it.each([
      ["username", "ab"],
      ["username", "a".repeat(33)],
      ["username", "anna-2"],
      ["username", "änna"],
      ["username", "anna\n"],
      ["username", 7],
      ["email", "anna"],
      ["email", "a@b"],
      ["email", "a b@example.test"],
      ["email", `${"a".repeat(65)}@example.test`],
      ["email", "anna@@example.test"],
      ["password", "short"],
      ["password", "elevenchars"],
      ["password", "x".repeat(129)],
      ["password", "aaaaaaaaaaaaaa"],
      ["password", "Password1234"],
      ["password", "1q2w3e4r5t6y"],
      ["password", "correct horse battery staple"],
      ["password", "my name is newcomer"],
      ["role", "admin"],
      ["balance", 1_000_000],
      ["id", "x"],
    ])("refuses %s %j and repeats no value", async (field, value) => {
      const json = {
        username: "newcomer",
        email: "newcomer@example.test",
        password: passwordOf("newcomer"),
        [field]: value,
      };
      const { status, body, text } = await venue.call("POST", "/auth/register", { json });
      expect([status, body.code]).toEqual([422, "validation_failed"]);
      expect((body["errors"] as { field: string }[]).map((fault) => fault.field)).toEqual([field]);
      if (typeof value === "string" && field === "password") expect(text).not.toContain(value);
    });

    it.each([
      [
        "a name twice",
        '{"username":"eve","username":"eva","email":"e@example.test","password":"x"}',
        400,
        "json_malformed",
      ],
      [
        "half a surrogate",
        '{"username":"eve","email":"e@example.test","password":"\\ud800aaaaaaaaaaaaaa"}',
        400,
        "json_malformed",
      ],
      ["no JSON", "username=eve", 400, "json_malformed"],
      [
        "a prototype",
        '{"__proto__":{"role":"admin"},"username":"eve","email":"e@example.test","password":"a long password of x"}',
        422,
        "validation_failed",
      ],
      ["nothing", "", 400, "json_malformed"],
      ["a list", "[]", 422, "validation_failed"],
      ["10,000 levels", "[".repeat(10_000) + "]".repeat(10_000), 422, "validation_failed"],
      ["too much", `{"username":"${"x".repeat(70_000)}"}`, 413, "body_too_large"],
    ])("refuses %s", async (_name, body, status, code) => {
      const answer = await venue.call("POST", "/auth/register", {
        body,
        headers: { "content-type": "application/json" },
      });
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    });

    it("refuses a body of another media type, and a compressed one", async () => {
      const body = JSON.stringify({ username: "eve" });
      for (const headers of [
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": "application/json", "content-encoding": "gzip" },
      ] as Record<string, string>[]) {
        expect((await venue.call("POST", "/auth/register", { body, headers })).status).toBe(415);
      }
    });
  });

  describe("signing in", () => {
    beforeAll(async () => {
      await venue.register("carla");
    });

    it("works by name and by address, in any case, and gives each session its own tokens", async () => {
      const byName = await venue.login("Carla", { password: passwordOf("carla") });
      const byMail = await venue.call("POST", "/auth/login", {
        json: { email: "CARLA@example.test", password: passwordOf("carla") },
      });
      expect([byName.status, byMail.status]).toEqual([200, 200]);
      expect(byName.body.sessionId).not.toBe(byMail.body.sessionId);
      const token = byName.body.accessToken ?? "";
      expect(decodeProtectedHeader(token)).toMatchObject({ alg: "EdDSA", typ: "at+jwt" });
      const { exp = 0, iat = 0, ...claims } = decodeJwt(token);
      expect(exp - iat).toBe(900);
      expect(Object.keys(claims).toSorted()).toEqual(["aud", "iss", "jti", "sid", "sub"]);
    });

    it("answers the same for an unknown name and for a wrong password", async () => {
      const unknown = await venue.login("nobody_here", { address: "192.0.2.77" });
      const wrong = await venue.login("carla", { password: "not her password", address: "192.0.2.78" });
      expect([unknown.status, unknown.body.code]).toEqual([401, "credentials_invalid"]);
      expect(unknown.text).toBe(wrong.text);
      expect([...unknown.headers.keys()]).toEqual([...wrong.headers.keys()]);
    });

    it("records its time, in the record and in the copy", async () => {
      const { body } = await venue.login("carla");
      const { id } = body["user"] as { id: string };
      const noted = async () => (await venue.redis.hget(`user:${id}`, "last_login_at")) ?? "";
      await expect.poll(noted).toMatch(/^\d{13}$/);
      expect((await me(body.accessToken)).body["lastLoginAt"]).toBeGreaterThan(1e12);
    });

    it("accepts an imported bcrypt hash, and replaces it", async () => {
      const { body } = await venue.register("dieter");
      const { id } = body["user"] as { id: string };
      const old = (await bcrypt("an old password", 4)).replace("$2b$", "$2y$");
      await venue.database.query("UPDATE users SET password_hash = $2 WHERE id = $1", [id, old]);
      const hashInCopy = async () => await venue.redis.hget(`user:${id}`, "password_hash");
      await expect.poll(hashInCopy).toBe(old);
      expect((await venue.login("dieter", { password: "a wrong password" })).status).toBe(401);
      expect((await venue.login("dieter", { password: "an old password" })).status).toBe(200);
      await expect.poll(hashInCopy).toMatch(/^\$argon2id\$/);
      expect((await venue.login("dieter", { password: "an old password" })).status).toBe(200);
    });

    it.each(["inactive", "suspended"])(
      "is refused to an account that is %s, and only its owner can notice",
      async (status) => {
        const { body } = await venue.register(`is_${status}`);
        const { id } = body["user"] as { id: string };
        await venue.database.query("UPDATE users SET status = $2 WHERE id = $1", [id, status]);
        await expect.poll(async () => venue.redis.hget(`user:${id}`, "status")).toBe(status);
        expect((await venue.login(`is_${status}`)).body.code).toBe(`account_${status}`);
        expect((await venue.login(`is_${status}`, { password: "a wrong password" })).body.code).toBe(
          "credentials_invalid",
        );
        expect((await me(body.accessToken)).body.code).toBe("not_signed_in");
        expect((await refresh(body.refreshToken)).body.code).toBe(`account_${status}`);
      },
    );
  });

  describe("guessing passwords", () => {
    const guess = (name: string, address: string) => venue.login(name, { password: "a wrong password", address });

    it("is limited for one address, and the owner can sign in from another", async () => {
      await venue.register("edith", { address: "198.51.100.1" });
      const codes: (string | undefined)[] = [];
      for (let attempt = 0; attempt < 12; attempt++) codes.push((await guess("edith", "203.0.113.1")).body.code);
      expect(codes).toEqual([
        ...Array.from({ length: 10 }, () => "credentials_invalid"),
        "rate_limited",
        "rate_limited",
      ]);
      const { status, headers } = await venue.login("edith", { address: "203.0.113.1" });
      expect(status).toBe(429);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(headers.get("ratelimit-policy")).toMatch(/^"loginPair";q=10;w=600$/);
      expect(headers.get("ratelimit")).toMatch(/^"loginPair";r=0;t=\d+$/);
      expect((await venue.login("edith", { address: "198.51.100.1" })).status).toBe(200);
    });

    it("is limited for an account that is tried from many addresses, and its owner can sign in from a known one", async () => {
      await venue.register("frieda");
      expect((await venue.login("frieda", { address: "198.51.100.9" })).status).toBe(200);
      const addresses = Array.from({ length: 51 }, (_, index) => `203.0.113.${index + 10}`);
      const answers = await Promise.all(addresses.map((address) => guess("frieda", address)));
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(50);
      expect((await guess("frieda", "203.0.113.200")).status).toBe(429);
      expect((await venue.login("frieda", { address: "198.51.100.9" })).status).toBe(200);
    });

    it("is limited for unknown names in the same way", async () => {
      const codes: number[] = [];
      for (let attempt = 0; attempt < 11; attempt++) codes.push((await guess("no_such_name", "203.0.113.2")).status);
      expect(codes).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    });

    it("leaves neither names nor addresses in Redis", async () => {
      const keys = await venue.redis.keys("ratelimit:*");
      expect(keys.length).toBeGreaterThan(0);
      expect(keys.join()).not.toMatch(/frieda|203\.0\.113|no_such_name/);
      for (const key of keys) expect(await venue.redis.pttl(key)).toBeGreaterThan(0);
    });
  });

  describe("a session", () => {
    it("is refreshed with a token that is valid once", async () => {
      const { body } = await venue.register("gerda");
      const next = await refresh(body.refreshToken);
      expect(next.status).toBe(200);
      expect(next.body.sessionId).toBe(body.sessionId);
      expect(next.body.refreshToken).not.toBe(body.refreshToken);
      expect((await me(next.body.accessToken)).status).toBe(200);
      expect((await refresh(next.body.refreshToken)).status).toBe(200);
    });

    it("ends with all its tokens when an old refresh token is reused", async () => {
      const { body } = await venue.register("hanna");
      const next = await refresh(body.refreshToken);
      expect([(await refresh(body.refreshToken)).body.code, (await refresh(next.body.refreshToken)).body.code]).toEqual(
        ["refresh_token_invalid", "refresh_token_invalid"],
      );
      expect((await me(next.body.accessToken)).body.code).toBe("not_signed_in");
      expect(venue.logged.join()).toContain("used twice");
    });

    it("exchanges one token for one of twenty concurrent requests, and then ends", async () => {
      const { body } = await venue.register("ilse");
      const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(body.refreshToken)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect((await me(body.accessToken)).status).toBe(401);
    });

    it("is not ended by an invented refresh token", async () => {
      const { body } = await venue.register("jutta");
      const token = body.refreshToken ?? "";
      const [head = "", session = "", secret = "", seal = ""] = token.split(".");
      const forged = [
        "",
        "x",
        withLastCharacterChanged(token),
        [head, session, secret.replace(/^./, (first) => (first === "A" ? "B" : "A")), seal].join("."),
        [head, "A".repeat(22), secret, seal].join("."),
        `${token} `,
        body.accessToken ?? "",
      ];
      for (const made of forged) expect((await refresh(made)).status, made).toBe(401);
      expect((await refresh(token)).status).toBe(200);
    });

    it("stores only a hash of its tokens in Redis", async () => {
      const { body } = await venue.register("karin");
      const { id } = body["user"] as { id: string };
      const stored = JSON.stringify(await venue.redis.hgetall(`sessions:${id}`));
      for (const part of [
        ...(body.refreshToken ?? "").split(".").slice(2),
        ...(body.accessToken ?? "").split(".").slice(1),
      ]) {
        expect(stored).not.toContain(part);
      }
      expect(await venue.redis.pttl(`sessions:${id}`)).toBeGreaterThan(6 * 24 * 3_600_000);
    });

    it("is listed for its owner, and only its owner can end it", async () => {
      await venue.register("lena");
      const here = await venue.login("lena", { headers: { "user-agent": "Browser/1" } });
      const there = await venue.login("lena", { headers: { "user-agent": "Phone/2" } });
      const stranger = await venue.register("stranger");
      const token = here.body.accessToken;
      const { body } = await venue.call("GET", "/sessions", { token });
      expect(body["sessions"]).toMatchObject([
        { userAgent: "Phone/2", isCurrent: false },
        { userAgent: "Browser/1", isCurrent: true },
        {},
      ]);
      expect(JSON.stringify(body)).not.toMatch(/hash/i);

      const path = `/sessions/${there.body.sessionId}`;
      expect((await venue.call("DELETE", path, { token: stranger.body.accessToken })).body.code).toBe(
        "session_not_found",
      );
      expect((await me(there.body.accessToken)).status).toBe(200);
      expect((await venue.call("DELETE", path, { token })).status).toBe(204);
      expect((await me(there.body.accessToken)).status).toBe(401);
      expect((await refresh(there.body.refreshToken)).status).toBe(401);
      expect((await me(token)).status).toBe(200);
    });

    it("ends by logging out, immediately and in every process", async () => {
      const { body } = await venue.register("maria");
      const other = await venue.again();
      expect((await other.call("GET", "/me", { token: body.accessToken })).status).toBe(200);
      expect((await venue.call("POST", "/auth/logout", { token: body.accessToken })).status).toBe(204);
      expect((await me(body.accessToken)).status).toBe(401);
      expect((await other.call("GET", "/me", { token: body.accessToken })).status).toBe(401);
      expect((await refresh(body.refreshToken)).status).toBe(401);
    });

    it("ends with all other sessions by logging out everywhere", async () => {
      const { body: first } = await venue.register("nora");
      const { body: second } = await venue.login("nora");
      expect((await venue.call("POST", "/auth/logout-everywhere", { token: second.accessToken })).status).toBe(204);
      for (const { accessToken, refreshToken } of [first, second]) {
        expect([(await me(accessToken)).status, (await refresh(refreshToken)).status]).toEqual([401, 401]);
      }
    });

    it("is ended if it is the least recently used when a twenty-first session opens", async () => {
      const { body: first } = await venue.register("olga");
      const { body: second } = await venue.login("olga");
      await refresh(first.refreshToken);
      for (let count = 0; count < 19; count++) await venue.login("olga");
      expect([(await me(first.accessToken)).status, (await me(second.accessToken)).status]).toEqual([200, 401]);
    });
  });

  describe("a new password", () => {
    it("ends every session, opens a new one, and is required from then on", async () => {
      const { body: first } = await venue.register("paula");
      const { body: second } = await venue.login("paula");
      const json = { currentPassword: passwordOf("paula"), newPassword: "an entirely new password" };
      const changed = await venue.call("POST", "/auth/password", { token: second.accessToken, json });
      expect(changed.status).toBe(200);
      expect([(await me(first.accessToken)).status, (await me(second.accessToken)).status]).toEqual([401, 401]);
      expect((await me(changed.body.accessToken)).status).toBe(200);
      expect([
        (await venue.login("paula")).status,
        (await venue.login("paula", { password: json.newPassword })).status,
      ]).toEqual([401, 200]);
    });

    it("requires the old password", async () => {
      const { body } = await venue.register("rosa");
      const json = { currentPassword: "not the password", newPassword: "an entirely new password" };
      expect((await venue.call("POST", "/auth/password", { token: body.accessToken, json })).body.code).toBe(
        "credentials_invalid",
      );
      expect((await venue.login("rosa")).status).toBe(200);
    });
  });

  describe("an access token", () => {
    it.each([
      ["nothing", () => ""],
      ["another scheme", (token: string) => `Basic ${token}`],
      ["no signature", (token: string) => `Bearer ${token.slice(0, token.lastIndexOf(".") + 1)}`],
      [
        "another spelling with a changed payload",
        (token: string) => `Bearer ${token.replace(/\.(.)/, (_, c) => (c === "e" ? ".f" : ".e"))}`,
      ],
      ["two tokens", (token: string) => `Bearer ${token}, Bearer ${token}`],
      ["8 kB", (token: string) => `Bearer ${token}${"A".repeat(8_000)}`],
      [
        "alg none",
        (token: string) =>
          `Bearer ${btoa('{"alg":"none","typ":"at+jwt"}').replaceAll("=", "")}.${token.split(".")[1]}.`,
      ],
    ])("is refused as %s", async (_name, authorization) => {
      const { body } = await venue.login("gerda");
      const headers = { authorization: authorization(body.accessToken ?? "") };
      const { status, headers: answered, body: problem } = await venue.call("GET", "/me", { headers });
      expect([status, problem.code]).toEqual([401, "not_signed_in"]);
      expect(answered.get("www-authenticate")).toBe('Bearer realm="venue"');
    });

    it("is refused when it is the gate's pass", async () => {
      expect((await me(await venue.pass())).status).toBe(401);
    });
  });
});
