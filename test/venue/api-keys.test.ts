import { beforeAll, describe, expect, it } from "vitest";
import { type SignOptions, signRequest } from "../../kit/sign-request.ts";
import { createSeal, sealKeysVariable } from "../../origin/accounts/api-keys/seal.ts";
import { systemRandom } from "../../shared/ids.ts";
import { DATABASES_TESTED, passwordOf, SEAL_KEY, START_MS_MAX, startVenue, type TestVenue } from "./venue.ts";

type Key = { readonly id: string; readonly secret: string };

const NEXT_SEAL_KEY = Buffer.from("another-key-of-tests-32-bytes-ok").toString("base64url");

describe.each(DATABASES_TESTED)("on the %s database", (kind) => {
  let venue: TestVenue;
  let token: string;
  let key: Key;

  beforeAll(async () => {
    venue = await startVenue(kind);
    token = (await venue.register("anna")).body.accessToken ?? "";
    key = await newKey();
  }, START_MS_MAX);

  async function newKey(more: Readonly<Record<string, unknown>> = {}): Promise<Key> {
    const { status, body } = await venue.call("POST", "/api-keys", {
      token,
      json: { label: "bot", permissions: ["info"], ...more },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return { id: String(body["id"]), secret: String(body["secret"]) };
  }

  let nonces = 0;

  /** A signed GET of `/me` by default, each with its own nonce. */
  async function signed(
    signer: Key,
    options: Partial<SignOptions> & { readonly from?: TestVenue; readonly address?: string } = {},
  ) {
    const { from = venue, address = "192.0.2.1", ...rest } = options;
    const whole = { ...signer, method: "GET", path: "/api/v1/me", nonce: `n-${nonces++}`, ...rest };
    return from.call(whole.method, whole.path.slice("/api/v1".length), { headers: signRequest(whole), address });
  }

  describe("an API key", () => {
    it("is shown with its secret once, and signs requests in its owner's name", async () => {
      expect(key.secret).toMatch(/^[\w-]{43}$/);
      const listed = await venue.call("GET", "/api-keys", { token });
      expect(listed.body["keys"]).toMatchObject([
        { id: key.id, label: "bot", permissions: ["info"], cidrs: [], expiresAt: null },
      ]);
      expect(listed.text).not.toContain(key.secret);
      const answer = await signed(key);
      expect([answer.status, answer.body["username"]]).toEqual([200, "anna"]);
      expect(answer.headers.get("ratelimit")).toMatch(/^"read";r=\d+/);
      const used = async () => JSON.stringify((await venue.call("GET", "/api-keys", { token })).body["keys"]);
      await expect.poll(used).toMatch(/"lastUsedAt":\d{13}/);
    });

    it("shares its owner's limit with all other keys, and the answer shows the tighter of the two", async () => {
      const owner = (await venue.register("manykeys")).body.accessToken ?? "";
      const make = async () => {
        const { body } = await venue.call("POST", "/api-keys", {
          token: owner,
          json: { label: "bot", permissions: ["info"] },
        });
        return { id: String(body["id"]), secret: String(body["secret"]) };
      };
      const keys = await Promise.all(Array.from({ length: 6 }, make));
      const startedMs = Date.now();
      const perKey = await Promise.all(
        keys.map((each) => Promise.all(Array.from({ length: 150 }, () => signed(each)))),
      );
      const answers = perKey.flat();
      const served = answers.filter(({ status }) => status === 200);
      // 200 at once and 50 a second for one key; twice as much for everything its owner has.
      const budget = 400 + Math.ceil((100 * (Date.now() - startedMs)) / 1_000);
      expect(served.length).toBeLessThanOrEqual(budget);
      expect(served.length).toBeGreaterThanOrEqual(400);
      const over = answers.find(({ status }) => status === 429);
      expect(over?.body.code).toBe("rate_limited");
      expect(over?.headers.get("ratelimit-policy")).toBe('"read-user";q=400;w=4');
      expect(over?.headers.get("ratelimit")).toMatch(/^"read-user";r=0;t=\d+$/);
      expect(Number(over?.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await signed(key)).headers.get("ratelimit")).toMatch(/^"read";r=\d+/);
    });

    it("is sealed in PostgreSQL and in Redis", async () => {
      const [row] = await venue.database.query("SELECT * FROM api_keys WHERE id = $1", [key.id]);
      const copy = await venue.redis.hgetall(`apikey:{${key.id}}`);
      expect(copy["encrypted_secret"]).toMatch(/^v1\./);
      expect(JSON.stringify([row, copy])).not.toContain(key.secret);
    });

    it("is refused without the permission, and for operations that need a session", async () => {
      const trader = await newKey({ permissions: ["trade", "withdraw"] });
      expect((await signed(trader)).body.code).toBe("permission_missing");
      for (const [method, path] of [
        ["GET", "/sessions"],
        ["GET", "/api-keys"],
        ["POST", "/auth/logout-everywhere"],
      ] as const) {
        expect((await signed(key, { method, path: `/api/v1${path}` })).body.code, path).toBe("permission_missing");
      }
    });

    it("is refused with anything changed: method, path, query, body, time, window, nonce, key or signature", async () => {
      const options = { ...key, method: "GET", path: "/api/v1/me", nonce: "fixed" };
      const good = signRequest(options);
      const changed: [string, Record<string, string>][] = [
        ["another method", signRequest({ ...options, method: "POST" })],
        ["another path", signRequest({ ...options, path: "/api/v1/sessions" })],
        ["a query", signRequest({ ...options, path: "/api/v1/me?x=1" })],
        ["a body", signRequest({ ...options, body: "{}" })],
        ["another secret", signRequest({ ...options, secret: `${key.secret}x` })],
        ["another time", { ...good, "x-api-timestamp": String(Number(good["x-api-timestamp"]) - 1) }],
        ["another window", { ...good, "x-api-window": "6000" }],
        ["another nonce", { ...good, "x-api-nonce": "other" }],
        ["a nonce that breaks the line", { ...good, "x-api-nonce": "a b" }],
        ["another key", { ...good, "x-api-key": "A".repeat(22) }],
        ["a key that is a path", { ...good, "x-api-key": "../../users:all" }],
        ["capitals", { ...good, "x-api-signature": good["x-api-signature"]?.toUpperCase() ?? "" }],
        ["half a signature", { ...good, "x-api-signature": good["x-api-signature"]?.slice(0, 32) ?? "" }],
        ["no signature", { "x-api-key": key.id }],
        ["a window of a day", signRequest({ ...options, windowMs: 86_400_000 })],
        ["an access token beside it", { ...good, authorization: `Bearer ${token}` }],
      ];
      for (const [name, headers] of changed) {
        const answer = await venue.call("GET", "/me", { headers });
        expect([name, answer.status, answer.body.code]).toEqual([name, 401, "signature_invalid"]);
      }
      expect((await venue.call("GET", "/me", { headers: good })).status).toBe(200);
    });

    it("signs the query in any order, and the body byte for byte", async () => {
      const path = "/api/v1/me?b=2&a=1";
      expect((await signed(key, { path })).body.code).toBe("validation_failed");
      const body = '{"label":"x"}';
      const headers = {
        ...signRequest({ ...key, method: "POST", path: "/api/v1/api-keys", body }),
        "content-type": "application/json",
      };
      expect((await venue.call("POST", "/api-keys", { body, headers })).body.code).toBe("permission_missing");
      expect((await venue.call("POST", "/api-keys", { body: `${body} `, headers })).body.code).toBe(
        "signature_invalid",
      );
    });

    it("serves the same request once, also at two processes at the same time", async () => {
      const headers = signRequest({ ...key, method: "GET", path: "/api/v1/me", nonce: "once" });
      const other = await venue.again();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? venue : other).call("GET", "/me", { headers })),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.code === "request_replayed")).toHaveLength(19);
      const [seen] = await venue.redis.keys(`apikey:{${key.id}}:seen:*`);
      expect(await venue.redis.pttl(seen ?? "")).toBeGreaterThan(0);
    });

    it("shows the server's time and the request's difference", async () => {
      const late = await signed(key, { timestampMs: Date.now() - 6_000 });
      expect([late.status, late.body.code]).toEqual([401, "timestamp_outside_window"]);
      expect(late.body["driftMs"]).toBeLessThanOrEqual(-6_000);
      expect(Math.abs(Number(late.body["serverTime"]) - Date.now())).toBeLessThan(5_000);
      expect(late.body["detail"]).toMatch(/\d+ ms behind/);
      expect((await signed(key, { timestampMs: Date.now() + 3_000 })).body["detail"]).toMatch(/\d+ ms ahead/);
      expect((await signed(key, { timestampMs: Date.now() - 6_000, windowMs: 9_000 })).status).toBe(200);
    });

    it("is valid only from its allowed addresses", async () => {
      const office = await newKey({ cidrs: ["203.0.113.0/24", "2001:db8::/32"] });
      expect((await signed(office, { address: "203.0.113.7" })).status).toBe(200);
      expect((await signed(office, { address: "::ffff:203.0.113.7" })).status).toBe(200);
      expect((await signed(office, { address: "2001:db8::7" })).status).toBe(200);
      for (const address of ["203.0.114.7", "2001:db9::7", "", "203.0.113.7, 203.0.113.8"]) {
        expect((await signed(office, { address })).body.code, address).toBe("address_not_allowed");
      }
    });

    it("expires at its time", async () => {
      const short = await newKey({ expiresAt: Date.now() + 600 });
      expect((await signed(short)).status).toBe(200);
      await expect.poll(async () => (await signed(short)).body.code).toBe("key_expired");
    });

    it("is revoked by its owner only, in every process from the next request", async () => {
      const mine = await newKey();
      const other = await venue.again();
      expect([(await signed(mine)).status, (await signed(mine, { from: other })).status]).toEqual([200, 200]);
      const stranger = await venue.register("stranger");
      expect((await venue.call("DELETE", `/api-keys/${mine.id}`, { token: stranger.body.accessToken })).body.code).toBe(
        "key_not_found",
      );
      expect((await venue.call("DELETE", `/api-keys/${mine.id}`, { token })).status).toBe(204);
      for (const from of [venue, other]) expect((await signed(mine, { from })).body.code).toBe("signature_invalid");
      expect((await venue.call("DELETE", `/api-keys/${mine.id}`, { token })).body.code).toBe("key_not_found");
    });

    it("is refused while its owner is suspended", async () => {
      const { body } = await venue.register("berta");
      const made = await venue.call("POST", "/api-keys", {
        token: body.accessToken,
        json: { label: "bot", permissions: ["info"] },
      });
      const hers = { id: String(made.body["id"]), secret: String(made.body["secret"]) };
      expect((await signed(hers)).status).toBe(200);
      const { id } = body["user"] as { id: string };
      await venue.database.query("UPDATE users SET status = 'suspended' WHERE id = $1", [id]);
      await expect.poll(() => venue.redis.hget(`user:${id}`, "status")).toBe("suspended");
      expect((await signed(hers)).body.code).toBe("signature_invalid");
    });

    it.each([
      ["label", ""],
      ["label", "x".repeat(65)],
      ["permissions", []],
      ["permissions", ["info", "info"]],
      ["permissions.0", ["root"]],
      ["cidrs.0", ["10.0.0.1/8"]],
      ["cidrs.0", ["0.0.0.0/0"]],
      ["cidrs.0", ["localhost"]],
      ["expiresAt", 1_000],
      ["expiresAt", "tomorrow"],
      ["userId", "x"],
    ])("is not created with %s %j", async (field, value) => {
      const json = { label: "bot", permissions: ["info"], [field.split(".")[0] ?? ""]: value };
      const { status, body } = await venue.call("POST", "/api-keys", { token, json });
      expect([status, (body["errors"] as { field: string }[] | undefined)?.[0]?.field]).toEqual([422, field]);
    });

    it("is one of at most twenty, also with many concurrent requests", async () => {
      const { body } = await venue.register("cora");
      const ask = () =>
        venue.call("POST", "/api-keys", { token: body.accessToken, json: { label: "bot", permissions: ["info"] } });
      const answers = await Promise.all(Array.from({ length: 24 }, ask));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
      expect(answers.filter(({ body: { code } }) => code === "key_limit_reached")).toHaveLength(4);
    });
  });

  describe("a key of another venue", () => {
    it("is stored sealed, once for each venue, and only its owner can delete it", async () => {
      const json = { venue: "indodax", label: "mine", key: "EXTERNAL-KEY-0001", secret: "external-secret-0001" };
      const added = await venue.call("POST", "/venue-keys", { token, json });
      expect(added.status).toBe(201);
      expect((await venue.call("POST", "/venue-keys", { token, json })).body.code).toBe("venue_key_exists");
      const listed = await venue.call("GET", "/venue-keys", { token });
      expect(listed.body["keys"]).toMatchObject([{ venue: "indodax", label: "mine" }]);
      expect(added.text + listed.text).not.toMatch(/external/i);
      const stranger = await venue.login("stranger");
      const path = `/venue-keys/${String(added.body["id"])}`;
      expect((await venue.call("DELETE", path, { token: stranger.body.accessToken })).body.code).toBe("key_not_found");
      expect((await venue.call("DELETE", path, { token })).status).toBe(204);
      expect((await venue.call("POST", "/venue-keys", { token, json })).status).toBe(201);
    });
  });

  describe("the seal keys", () => {
    const keys = (active: string, ...versions: [string, string][]) =>
      sealKeysVariable.parse(JSON.stringify({ active, keys: Object.fromEntries(versions) }));
    const owner = { kind: "api-key", userId: "u", id: "k" } as const;

    it("open only unchanged secrets of the same owner", () => {
      const seal = createSeal(keys("1", ["1", SEAL_KEY]), systemRandom);
      const sealed = seal.seal("geheim", owner);
      expect(seal.seal("geheim", owner)).not.toBe(sealed);
      expect(seal.open(sealed, owner)).toBe("geheim");
      for (const other of [
        { ...owner, userId: "v" },
        { ...owner, id: "l" },
        { ...owner, kind: "venue-key" as const },
      ]) {
        expect(() => seal.open(sealed, other)).toThrow();
      }
      const middle = Math.floor(sealed.length / 2);
      expect(() =>
        seal.open(sealed.slice(0, middle) + (sealed[middle] === "A" ? "B" : "A") + sealed.slice(middle + 1), owner),
      ).toThrow();
      expect(() => seal.open(sealed.slice(0, -24), owner)).toThrow();
      expect(() => createSeal(keys("2", ["2", NEXT_SEAL_KEY]), systemRandom).open(sealed, owner)).toThrow("version 1");
    });

    it("are replaced without a pause: with a new version the start reseals everything, and the old version can be removed", async () => {
      const both = await venue.again({ SLUICE_SEAL_KEYS: keys("2", ["1", SEAL_KEY], ["2", NEXT_SEAL_KEY]) });
      expect((await signed(key, { from: both })).status).toBe(200);
      const versions = await both.database.query(
        "SELECT DISTINCT left(sealed_secret, 3) AS v FROM api_keys WHERE revoked_at IS NULL UNION SELECT left(sealed_pair, 3) FROM venue_keys",
        [],
      );
      expect(versions).toEqual([{ v: "v2." }]);
      const next = await venue.again({ SLUICE_SEAL_KEYS: keys("2", ["2", NEXT_SEAL_KEY]) });
      expect((await signed(key, { from: next })).status).toBe(200);
      expect((await next.login("anna", { password: passwordOf("anna") })).status).toBe(200);
    });

    it.each([
      ["not JSON", "hunter2"],
      ["a short key", '{"active":"1","keys":{"1":"aHVudGVyMg"}}'],
      ["no active key", `{"active":"2","keys":{"1":"${SEAL_KEY}"}}`],
      ["a version that is none", `{"active":"x","keys":{"x":"${SEAL_KEY}"}}`],
    ])("are refused as %s, without repeating them", (_name, text) => {
      const parsed = sealKeysVariable.safeParse(text);
      expect(parsed.success).toBe(false);
      expect(JSON.stringify(parsed.error?.issues)).not.toMatch(/hunter2|aHVudGVyMg/);
    });
  });
});
