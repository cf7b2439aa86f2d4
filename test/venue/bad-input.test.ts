import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { signRequest } from "../../kit/sign-request.ts";
import type { HttpServer } from "../../origin/http-server.ts";
import { PASS_HEADER } from "../../shared/tokens/admission.ts";
import { sendRaw } from "../proxy/raw-http.ts";
import { ACCESS_ENTRIES, type Asker } from "./access-entries.ts";
import { type Answer, passwordOf, startVenue } from "./venue.ts";

const venue = await startVenue();
const server: HttpServer = await venue.listen();
const admin = askerOf("root_1", await venue.signInAdmin("root_1"));
const withBodies = await operationsWithBodies();
const pass = await venue.pass();

function askerOf(name: string, { body }: Answer, otherUserId = ""): Asker {
  const { accessToken: token = "", refreshToken = "", sessionId = "" } = body;
  const { id: userId } = body["user"] as { id: string };
  return {
    venue,
    name,
    userId,
    sessionId,
    token,
    refreshToken,
    otherUserId: otherUserId === "" ? userId : otherUserId,
  };
}

/** No phrase of the validation library. */
const WORDS_OF_ZOD = /Invalid |expected|received|Too (?:big|small)|Unrecognized|discriminator/;

function expectOwnWords(answer: Answer): void {
  for (const { message } of (answer.body["errors"] ?? []) as { message: string }[])
    expect(message).not.toMatch(WORDS_OF_ZOD);
}

type Documented = { readonly operationId: string; readonly requestBody?: unknown };

async function operationsWithBodies() {
  const { body } = await venue.call("GET", "/openapi.json");
  return Object.entries(body["paths"] as Record<string, Record<string, Documented>>).flatMap(([template, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody !== undefined)
      .map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), template })),
  );
}

describe.each(withBodies.map((operation) => [`${operation.method} ${operation.template}`, operation] as const))(
  "%s",
  (_name, operation) => {
    let token: string;
    const path = operation.template.replaceAll(/\{\w+\}/g, admin.userId);

    // One account each, because of the limit of fifty changes at once.
    beforeAll(async () => {
      token = (await venue.signInAdmin(`admin_${operation.id.toLowerCase()}`)).body.accessToken ?? "";
    });

    const post = (body: string, headers: Readonly<Record<string, string>> = { "content-type": "application/json" }) =>
      venue.call(operation.method, path, { token, body, headers });

    it.each([
      ["a name twice", '{"username":"a","username":"b"}', 400, "json_malformed"],
      ["a name twice, once in escapes", '{"username":"a","\\u0075sername":"b"}', 400, "json_malformed"],
      ["half a surrogate", '{"x":"\\udc00"}', 400, "json_malformed"],
      ["half a document", '{"username":"a"', 400, "json_malformed"],
      ["two documents", "{}{}", 400, "json_malformed"],
      ["nothing", "", 400, "json_malformed"],
      ["NaN", '{"x":NaN}', 400, "json_malformed"],
      ["a prototype", '{"__proto__":{"role":"admin"}}', 422, "validation_failed"],
      ["a constructor", '{"constructor":{"prototype":{"role":"admin"}}}', 422, "validation_failed"],
      ["10,000 levels", `${"[".repeat(10_000)}${"]".repeat(10_000)}`, 422, "validation_failed"],
      ["a null", "null", 422, "validation_failed"],
      ["a list", "[]", 422, "validation_failed"],
      ["a text", '"x"', 422, "validation_failed"],
      ["a truth", "true", 422, "validation_failed"],
      ["a number", "1e400", 422, "validation_failed"],
      ["nothing in it", "{}", 422, "validation_failed"],
      ["10 MB", `{"x":"${"x".repeat(10_000_000)}"}`, 413, "body_too_large"],
    ])("refuses %s", async (_what, body, status, code) => {
      const answer = await post(body);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expectOwnWords(answer);
    });

    it("refuses a body of another media type, and a compressed one", async () => {
      const bomb = gzipSync(Buffer.alloc(10_000_000)).toString("latin1");
      for (const headers of [
        { "content-type": "text/plain" },
        { "content-type": "application/x-www-form-urlencoded" },
        { "content-type": "multipart/form-data; boundary=x" },
        { "content-type": "application/json; charset=utf-16" },
        { "content-type": "application/json, text/plain" },
        { "content-type": "application/json", "content-encoding": "gzip" },
        { "content-type": "application/json", "content-encoding": "identity, br" },
      ] as Record<string, string>[]) {
        expect((await post(bomb, headers)).status, JSON.stringify(headers)).toBe(415);
      }
    });

    it("refuses unknown fields, also those that are valid in other operations", async () => {
      const user = askerOf(
        `more_${operation.id.toLowerCase()}`,
        await venue.register(`more_${operation.id.toLowerCase()}`),
      );
      const { json = {} } = (await ACCESS_ENTRIES[operation.id]?.request?.(user)) ?? {};
      for (const more of ["role", "balance", "userId", "id", "status", "revision", "isAdmin"].filter(
        (name) => !(name in (json as object)),
      )) {
        if (operation.id === "changeUser" && more === "role") continue;
        const answer = await post(JSON.stringify({ ...(json as object), [more]: "admin" }));
        expect([more, answer.status]).toEqual([more, 422]);
        expect((answer.body["errors"] as { field: string }[]).map(({ field }) => field)).toContain(more);
      }
    });
  },
);

describe("a number", () => {
  const system = { maintenanceMode: false, maintenanceMessage: "", maxOpenOrders: 50, minVolumeFilter: "1" };
  const put = (text: string) =>
    venue.call("PUT", "/admin/system", {
      token: admin.token,
      body: text,
      headers: { "content-type": "application/json" },
    });
  const withField = (name: string, value: string) =>
    JSON.stringify({ ...system, [name]: "HERE" }).replace('"HERE"', value);

  it.each([
    '""',
    '" 12 "',
    '"0x10"',
    '"12"',
    "-0",
    "-1",
    "0",
    "1.5",
    "9007199254740993",
    "9223372036854775808",
    "1e99",
    "[12]",
    "true",
    "null",
    "{}",
  ])("that must be a small whole number is not %s", async (value) => {
    const answer = await put(withField("maxOpenOrders", value));
    expect([answer.status, answer.body["errors"]]).toMatchObject([422, [{ field: "maxOpenOrders" }]]);
  });

  it.each([
    ...[
      '""',
      '" 12 "',
      '"0x10"',
      '"1e3"',
      '"-0"',
      '"-1"',
      '"+1"',
      '".5"',
      '"1."',
      '"01"',
      '"1_000"',
      '"٣"',
      '"１"',
      '"NaN"',
      '"Infinity"',
    ],
    ...[`"${"9".repeat(40)}"`, '"0.1234567890123456789"', "12", "[12]", "true", "null", '"1\\n"', '"1\\u0000"'],
  ])("that must be a decimal is not %s", async (value) => {
    const answer = await put(withField("minVolumeFilter", value));
    expect([answer.status, answer.body["errors"]]).toMatchObject([422, [{ field: "minVolumeFilter" }]]);
  });

  it.each(["9007199254740993", "9223372036854775808", "9999999999999999999999.99999999", "0.00000001", "0"])(
    "that is a decimal comes back to the last digit: %s",
    async (value) => {
      expect((await put(withField("minVolumeFilter", `"${value}"`))).body["minVolumeFilter"]).toBe(value);
      expect((await venue.call("GET", "/admin/system", { token: admin.token })).body["minVolumeFilter"]).toBe(value);
    },
  );

  it.each([
    "",
    "%2012%20",
    "0x10",
    "1e1",
    "-0",
    "0",
    "1.0",
    "101",
    "9007199254740993",
    "%D9%A3",
    "true",
    "1&limit=2",
    "1%00",
  ])("in a query is not %s", async (value) => {
    expect((await venue.call("GET", `/admin/users?limit=${value}`, { token: admin.token })).status).toBe(422);
  });

  it.each(["0", "-1", "1e3", "x", "99999999999999999999", "9223372036854775808", "1.5"])(
    "of a page is not %s",
    async (value) => {
      expect((await venue.call("GET", `/admin/audit?cursor=${value}`, { token: admin.token })).status).toBe(422);
    },
  );

  it.each(["-1", "0", "1.5", '"1"', "1e99", "-0", "[1]", "true", "9007199254740993", "253402300800000"])(
    "of a key's end is not %s",
    async (value) => {
      const body = `{"label":"x","permissions":["info"],"expiresAt":${value}}`;
      const answer = await venue.call("POST", "/api-keys", {
        token: admin.token,
        body,
        headers: { "content-type": "application/json" },
      });
      expect([answer.status, answer.body["errors"]]).toMatchObject([422, [{ field: "expiresAt" }]]);
    },
  );

  it("of a signed request has one spelling", async () => {
    const { body } = await venue.call("POST", "/api-keys", {
      token: admin.token,
      json: { label: "x", permissions: ["info"] },
    });
    const signer = { id: String(body["id"]), secret: String(body["secret"]), method: "GET", path: "/api/v1/me" };
    for (const headers of [
      ...[
        "",
        " ",
        "1e12",
        "0x18c",
        "-1700000000000",
        "1700000000000.0",
        "²700000000000",
        "9007199254740993",
        "NaN",
      ].map((time) => ({
        "x-api-timestamp": time,
      })),
      ...["", "0", "-1", "05000", "5e3", "1e4", "10001", "99999", "5000.0"].map((window) => ({
        "x-api-window": window,
      })),
    ] as Record<string, string>[]) {
      const answer = await venue.call("GET", "/me", { headers: { ...signRequest(signer), ...headers } });
      expect([JSON.stringify(headers), answer.status]).toEqual([JSON.stringify(headers), 401]);
    }
  });
});

describe("on the wire", () => {
  const raw = (head: string, body = "") => sendRaw(server.port, `${head}\r\n${PASS_HEADER}: ${pass}\r\n\r\n${body}`);
  const get = (...lines: string[]) => raw(["GET /api/v1/me HTTP/1.1", "Host: venue.test", ...lines].join("\r\n"));
  const bearer = `Authorization: Bearer ${admin.token}`;

  it("a repeated identity header is refused", async () => {
    expect((await get(bearer)).status).toBe(200);
    for (const lines of [
      [bearer, bearer],
      [bearer, "authorization: Bearer x"],
      ["Authorization: Bearer x", bearer],
      [bearer, `${PASS_HEADER}: ${pass}`],
      [bearer, `${PASS_HEADER.toUpperCase()}: x`],
      [bearer, "x-api-key: x"],
      [`authorization_: Bearer ${admin.token}`],
      [`x_authorization: Bearer ${admin.token}`],
      [`Authorization: Bearer\t${admin.token}`],
      [`Authorization: bearer ${admin.token} x`],
      [`Cookie: authorization=Bearer ${admin.token}; access_token=${admin.token}`],
    ]) {
      expect((await get(...lines)).status, lines.join(" | ")).toBe(401);
    }
    const withoutPass = `GET /api/v1/me HTTP/1.1\r\nHost: venue.test\r\n${bearer}\r\nx_sluice_pass: ${pass}\r\n\r\n`;
    expect((await sendRaw(server.port, withoutPass)).status).toBe(401);
  });

  it("a request with ambiguous framing is refused", async () => {
    const post = "POST /api/v1/auth/login HTTP/1.1\r\nHost: venue.test\r\nContent-Type: application/json";
    for (const head of [
      `${post}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked`,
      `${post}\r\nContent-Length: 2\r\nContent-Length: 3`,
      `${post}\r\nContent-Length: -2`,
      `${post}\r\nContent-Length: 0x2`,
      `${post}\r\nTransfer-Encoding: chunked, identity`,
      `${post}\r\nX-Folded: a\r\n b`,
    ]) {
      expect((await raw(head, "{}")).status, head).toBe(400);
    }
  });

  it("an endless body is refused at its bound", async () => {
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const head =
      "POST /api/v1/auth/login HTTP/1.1\r\nHost: venue.test\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked";
    expect((await raw(head, `${chunk.repeat(4)}0\r\n\r\n`)).status).toBe(413);
  });

  it.each([
    ["TRACE /api/v1/me", [401, 405, 404]],
    ["PROPFIND /api/v1/me", [405, 404]],
    ["GET /api/v1/me%00", [404]],
    ["GET /api/v1/me%0a", [404]],
    ["GET /api/v1/..%2fv1/me", [404]],
    ["GET /api%5cv1/me", [404]],
    ["GET /api/v1/me;role=admin", [404]],
    ["GET /api/v1/%c0%ae/me", [404]],
    [`GET /api/v1/${"x".repeat(64_000)}`, [404, 414, 431]],
    ["GET /api/v1/users/%ff", [404]],
  ])("%s is refused", async (start, statuses) => {
    const answer = await raw(`${start} HTTP/1.1\r\nHost: venue.test\r\n${bearer}`);
    expect(statuses).toContain(answer.status);
  });

  it("an upgrade to another protocol is answered in HTTP", async () => {
    const asked = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"];
    expect((await get(bearer, ...asked)).status).toBe(200);
  });
});

describe("the same request at once", () => {
  const hundred = <Result>(work: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: 100 }, (_, index) => work(index)));

  it("a signed request that is sent a hundred times is served once", async () => {
    const { body } = await venue.call("POST", "/api-keys", {
      token: admin.token,
      json: { label: "x", permissions: ["info"] },
    });
    const signer = {
      id: String(body["id"]),
      secret: String(body["secret"]),
      method: "GET",
      path: "/api/v1/me",
      nonce: "once",
    };
    const headers = signRequest({ ...signer, windowMs: 10_000 });
    const answers = await hundred(() => venue.call("GET", "/me", { headers }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body: { code } }) => code === "request_replayed")).toHaveLength(99);
  });

  it("a refresh token that is sent a hundred times is exchanged once, and its session ends", async () => {
    const { body } = await venue.register("hundred");
    const answers = await hundred(() =>
      venue.call("POST", "/auth/refresh", { json: { refreshToken: body.refreshToken } }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await venue.call("GET", "/me", { token: body.accessToken })).status).toBe(401);
  });

  it("a name that is registered a hundred times becomes one account", async () => {
    const answers = await hundred((index) => venue.register("hundredfold", { address: `192.0.2.${index}` }));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(new Set(statuses)).toEqual(new Set([201, 409]));
  });

  it("a hundred logouts of one session are one", async () => {
    const { body } = await venue.register("leaving");
    const answers = await hundred(() => venue.call("POST", "/auth/logout", { token: body.accessToken }));
    expect(answers.every(({ status }) => [204, 401, 429].includes(status))).toBe(true);
    expect((await venue.login("leaving", { password: passwordOf("leaving") })).status).toBe(200);
  });
});

describe("a Redis key of the wrong type", () => {
  it("is an error for one account only", async () => {
    const { body } = await venue.register("broken");
    const { id } = body["user"] as { id: string };
    const other = await venue.register("whole");
    const spoil = async (key: string) => {
      await venue.redis.del(key);
      await venue.redis.rpush(key, "x");
    };
    await spoil(`sessions:${id}`);
    expect((await venue.call("GET", "/me", { token: body.accessToken })).body.code).toBe("internal_error");
    expect((await venue.login("broken")).body.code).toBe("internal_error");
    await spoil(`user:${id}`);
    expect((await venue.login("broken")).body.code).toBe("internal_error");
    await spoil("config:system");
    expect((await venue.call("GET", "/me", { token: other.body.accessToken })).status).toBe(200);
    expect((await venue.login("whole")).status).toBe(200);
  });
});

describe("a field of the wrong type", () => {
  it("is explained in our own words", async () => {
    const { accessToken: token = "" } = (await venue.signInAdmin("words_1")).body;
    const order = {
      pair: "btcidr",
      side: "buy",
      type: "limit",
      price: "1",
      quantity: "1",
      timeInForce: "GTC",
      postOnly: false,
    };
    for (const name of Object.keys(order)) {
      for (const value of [null, -1, "x".repeat(5_000), [], {}]) {
        const answer = await venue.call("POST", "/orders", { token, json: { ...order, [name]: value } });
        expect([name, answer.status, answer.body.code]).toEqual([name, 422, "validation_failed"]);
        expectOwnWords(answer);
      }
    }
  });
});
