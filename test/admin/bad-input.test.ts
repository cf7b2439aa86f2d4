import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, SETTINGS, startAdminGate } from "./admin-gate.ts";

const gate = await startAdminGate();
const { call, redis } = gate;
const JSON_TYPE = { "content-type": "application/json" };

let before: readonly string[];

beforeAll(async () => {
  await call("POST", "/admin/queues", { json: { queueId: "launch", ...SETTINGS } });
  before = await contentOfStore();
});

/** Every key with its content, so that "nothing written" means nothing at all. */
async function contentOfStore(): Promise<readonly string[]> {
  const keys = (await redis.keys("*")).toSorted();
  return await Promise.all(keys.map(async (key) => `${key} ${(await redis.dumpBuffer(key)).toString("hex")}`));
}

async function expectRefused(
  answer: Answer,
  expected: { status: number; code: string; fields?: readonly string[] },
): Promise<void> {
  expect([answer.status, answer.body["code"]]).toEqual([expected.status, expected.code]);
  expect(answer.headers.get("content-type")).toBe("application/problem+json");
  const errors = answer.body["errors"] as { field: string; message: string }[] | undefined;
  expect(errors?.map(({ field }) => field)).toEqual(expected.fields);
  for (const { message } of errors ?? []) {
    expect(message.length).toBeGreaterThan(5);
    // No phrase of the library that checks the input.
    expect(message).not.toMatch(/Invalid |expected|received|Too (?:big|small)|Unrecognized|discriminator/);
  }
  expect(await contentOfStore()).toEqual(before);
}

const unprocessable = (...fields: string[]) => ({ status: 422, code: "validation_failed", fields });
const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = JSON_TYPE) =>
  call("POST", "/admin/queues", { body, headers });
const withField = (name: string, text: string) =>
  `{"queueId":"bad","name":"Bad"${name === "maxActive" ? "" : ',"maxActive":5'}${name === "admissionRate" ? "" : ',"admissionRate":1'},"${name}":${text}}`;

describe("a number", () => {
  it.each([
    '""',
    '" 12 "',
    '"12"',
    '"0x10"',
    "-1",
    "0",
    "-0",
    "1.5",
    "9007199254740991",
    "9007199254740993",
    "9223372036854775808",
    "1234567890123456789012345678901234567890",
    "1e999",
    "1e-7",
    '"١٢"',
    "[5]",
    "[]",
    "{}",
    "true",
    "null",
  ])("is refused by the field's name: maxActive = %s", async (text) => {
    await expectRefused(await post(withField("maxActive", text)), unprocessable("maxActive"));
  });

  it.each(["0x10", "012", "+5", "NaN", "Infinity", ".5", "5.", "1_000"])(
    "that JSON does not know is no JSON: %s",
    async (text) => {
      await expectRefused(await post(withField("maxActive", text)), { status: 400, code: "json_malformed" });
    },
  );

  it.each(["0", "-0", "0.0009", "10001", '"1"', "1e999"])(
    "is refused by the field's name: admissionRate = %s",
    async (text) => {
      await expectRefused(await post(withField("admissionRate", text)), unprocessable("admissionRate"));
    },
  );

  it("means the same however JSON writes it", async () => {
    const made = await post(withField("maxActive", "1e3").replace("bad", "exponent"));
    expect([made.status, made.body["maxActive"]]).toEqual([201, 1_000]);
    const zero = await call("PATCH", "/admin/queues/exponent", { body: '{"ticketsPerIp":-0}', headers: JSON_TYPE });
    expect([zero.status, zero.text.includes('"ticketsPerIp":0')]).toEqual([200, true]);
    expect((await call("GET", "/admin/queues/exponent")).body["ticketsPerIp"]).toBe(0);
    before = await contentOfStore();
  });
});

describe("a queue's id", () => {
  it.each([
    "",
    " ",
    "{launch}",
    "a}b{c",
    "a\nb",
    "Launch",
    "a_b",
    "-a",
    "a-",
    "a/b",
    "../x",
    "a:b",
    "a\u0000b",
    "ä",
    "x".repeat(65),
    "x".repeat(1_024),
  ])("is refused in a body, a route and a revocation: %j", async (queueId) => {
    await expectRefused(
      await call("POST", "/admin/queues", { json: { queueId, ...SETTINGS } }),
      unprocessable("queueId"),
    );
    const routes = { json: { routes: [{ path: "/x", queueId }] } };
    await expectRefused(await call("PUT", "/admin/routes", routes), unprocessable("routes.0.queueId"));
    const revocation = { json: { queueId, sessionId: "x".repeat(22), reason: "x" } };
    await expectRefused(await call("POST", "/admin/revocations", revocation), unprocessable("queueId"));
  });

  it.each(["%7Blaunch%7D", "Launch", "a_b", "-a", "x".repeat(1_024), "%F0%9F%98%80", "a%20b"])(
    "is refused in a path: %s",
    async (segment) => {
      for (const [method, rest] of [
        ["GET", ""],
        ["DELETE", ""],
        ["GET", "/sessions"],
        ["DELETE", `/sessions/${"x".repeat(22)}`],
      ] as const) {
        await expectRefused(await call(method, `/admin/queues/${segment}${rest}`), unprocessable("queueId"));
      }
      await expectRefused(
        await call("PATCH", `/admin/queues/${segment}`, { json: { maxActive: 1 } }),
        unprocessable("queueId"),
      );
    },
  );

  it.each(["a%0Ab", "a%2Fb", "a%00b", "..%2Flaunch"])("that is no plain path goes no further: %s", async (segment) => {
    await expectRefused(await call("GET", `/admin/queues/${segment}`), { status: 400, code: "path_not_plain" });
  });
});

describe("an upstream", () => {
  it.each([
    "shop.example",
    "http://shop.example/path",
    "http://user:secret@shop.example",
    "ftp://shop.example",
    "http://127.0.0.1:8788",
    "http://2130706433",
    "http://0x7f.1",
    "http://169.254.169.254",
    "http://[::1]:80",
    "http://[::ffff:10.0.0.1]",
    "http://[64:ff9b::a00:1]",
    "http://localhost",
    "http://localhost.",
    "http://redis:6379",
    "http://metadata.google.internal",
    "",
    8788,
  ])("is refused by the field's name when a queue is made or changed: targetUrl = %j", async (targetUrl) => {
    await expectRefused(
      await call("POST", "/admin/queues", { json: { queueId: "bad", ...SETTINGS, targetUrl } }),
      unprocessable("targetUrl"),
    );
    await expectRefused(
      await call("PATCH", "/admin/queues/launch", { json: { targetUrl } }),
      unprocessable("targetUrl"),
    );
  });
});

describe("a body", () => {
  it("that is empty, broken or not UTF-8 is no JSON", async () => {
    for (const text of [
      "",
      " ",
      "{",
      '{"queueId":"bad"',
      "{'queueId':'bad'}",
      "undefined",
      '{"a":1,}',
      "\u0000",
      '{"a":1}{"b":2}',
    ]) {
      await expectRefused(await post(text), { status: 400, code: "json_malformed" });
    }
    const latin1 = new Uint8Array([...new TextEncoder().encode('{"queueId":"bad","name":"'), 0xe9, 0x22, 0x7d]);
    await expectRefused(await post(latin1), { status: 400, code: "json_malformed" });
  });

  it.each(["null", "true", "5", '"text"', "[]", "[{}]"])("that is not an object is refused: %s", async (text) => {
    await expectRefused(await post(text), unprocessable("body"));
    const patch = await call("PATCH", "/admin/queues/launch", { body: text, headers: JSON_TYPE });
    await expectRefused(patch, unprocessable("body"));
  });

  it.each([
    '{"maxActive":1,"maxActive":900000}',
    '{"maxActive":1,"max\\u0041ctive":900000}',
    '{"maxActive" : 1, "name":"\\"maxActive\\":", "maxActive" :2}',
    '{"x":{"a":1,"a":2}}',
  ])("with a name twice can be read in two ways: %s", async (text) => {
    await expectRefused(await call("PATCH", "/admin/queues/launch", { body: text, headers: JSON_TYPE }), {
      status: 400,
      code: "json_malformed",
    });
  });

  it("may hold a name in two objects, and in a text", async () => {
    const text = '{"routes":[{"path":"/a","queueId":"nowhere"},{"path":"/b","queueId":"nowhere"}]}';
    const answer = await call("PUT", "/admin/routes", { body: text, headers: { ...JSON_TYPE, "if-match": "*" } });
    await expectRefused(answer, unprocessable("routes.0.queueId", "routes.1.queueId"));
    const renamed = await call("PATCH", "/admin/queues/launch", { json: { name: '{"name":1,"name":2}' } });
    expect(renamed.body["name"]).toBe('{"name":1,"name":2}');
    before = await contentOfStore();
  });

  it.each(['{"name":"\\ud800"}', '{"name":"a\\udfffb"}', '{"\\ud800":1}'])(
    "with half a character is refused: %s",
    async (text) => {
      await expectRefused(await call("PATCH", "/admin/queues/launch", { body: text, headers: JSON_TYPE }), {
        status: 400,
        code: "json_malformed",
      });
    },
  );

  it.each(["colour", "version", "waiting", "active", "id", "targetUrl", "constructor", "toString", "hasOwnProperty"])(
    "with a field that is not known is refused by its name: %s",
    async (name) => {
      await expectRefused(await post(withField(name, "1")), unprocessable(name));
      const patch = await call("PATCH", "/admin/queues/launch", { json: { [name]: 1, maxActive: 6 } });
      await expectRefused(patch, unprocessable(name));
    },
  );

  it("cannot reach a prototype", async () => {
    await expectRefused(await post(withField("__proto__", '{"maxActive":7}')), unprocessable("__proto__"));
    const patch = await call("PATCH", "/admin/queues/launch", {
      body: '{"__proto__":{"maxActive":7},"maxActive":6}',
      headers: JSON_TYPE,
    });
    await expectRefused(patch, unprocessable("__proto__"));
    expect((await call("GET", "/admin/queues/launch")).body["maxActive"]).toBe(SETTINGS.maxActive);
  });

  it("10,000 levels deep is refused like any other", async () => {
    const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    await expectRefused(await post(withField("name2", deep)), unprocessable("name2"));
    await expectRefused(await post(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`), {
      ...unprocessable("name", "maxActive", "admissionRate", "queueId", "a"),
    });
    await expectRefused(await post("[".repeat(10_000)), { status: 400, code: "json_malformed" });
  });

  it("past its bound is refused, whether it says its length or not", async () => {
    const large = `{"name":"${"x".repeat(10 * 1024 * 1024)}"}`;
    await expectRefused(await post(large), { status: 413, code: "body_too_large" });
    const chunked = await fetch(`${gate.url}/_sluice/admin/queues`, {
      method: "POST",
      headers: { ...JSON_TYPE, authorization: `Bearer ${gate.token}` },
      body: new Blob([large]).stream(),
      duplex: "half",
    });
    expect(chunked.status).toBe(413);
    expect(await contentOfStore()).toEqual(before);
  });

  it("full of faults does not come back whole", async () => {
    const body = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`${"k".repeat(20)}${index}`, 1]));
    const answer = await call("POST", "/admin/queues", { json: body });
    expect(answer.status).toBe(422);
    expect((answer.body["errors"] as unknown[]).length).toBe(50);
  });

  it("names every field at fault at once, and never repeats a value", async () => {
    const json = {
      queueId: "Bad",
      name: "",
      maxActive: "hunter2-number",
      admissionRate: 0,
      mode: "hunter2-mode",
      colour: "hunter2",
    };
    const answer = await call("POST", "/admin/queues", { json });
    await expectRefused(answer, unprocessable("name", "maxActive", "admissionRate", "mode", "queueId", "colour"));
    expect(answer.text).not.toContain("hunter2");
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json; charset=latin1",
    "multipart/form-data; boundary=x",
  ])("that is not JSON by its type is refused: %s", async (type) => {
    const body = JSON.stringify({ queueId: "bad", ...SETTINGS });
    await expectRefused(await post(body, { "content-type": type }), { status: 415, code: "media_type_unsupported" });
  });

  it("that is compressed or has no type is refused", async () => {
    const body = JSON.stringify({ queueId: "bad", ...SETTINGS });
    await expectRefused(await post(new TextEncoder().encode(body), {}), {
      status: 415,
      code: "media_type_unsupported",
    });
    const zipped = new Uint8Array(gzipSync(body));
    await expectRefused(await post(zipped, { ...JSON_TYPE, "content-encoding": "gzip" }), {
      status: 415,
      code: "media_type_unsupported",
    });
  });

  it("with nothing in it changes nothing", async () => {
    await expectRefused(await call("PATCH", "/admin/queues/launch", { json: {} }), unprocessable("body"));
  });
});

describe("a parameter", () => {
  it.each(["", "%20", "%2012%20", "0x10", "1e3", "-0", "0", "-1", "1.5", "1001", "9007199254740993", "true", "%D9%A1"])(
    "is refused by its name: limit=%s",
    async (text) => {
      await expectRefused(await call("GET", `/admin/queues/launch/sessions?limit=${text}`), unprocessable("limit"));
    },
  );

  it.each(["", "x", "1.x", `-1.${"x".repeat(22)}`, `1.${"x".repeat(22)}%0A`, `${"9".repeat(16)}.${"x".repeat(22)}`])(
    "is refused by its name: cursor=%s",
    async (text) => {
      await expectRefused(await call("GET", `/admin/queues/launch/sessions?cursor=${text}`), unprocessable("cursor"));
    },
  );

  it("is refused when it is not known or comes twice", async () => {
    await expectRefused(await call("GET", "/admin/queues/launch/sessions?limit=5&limit=6"), unprocessable("limit"));
    await expectRefused(await call("GET", "/admin/queues/launch/sessions?Limit=5"), unprocessable("Limit"));
    await expectRefused(await call("GET", "/admin/queues?force=true"), unprocessable("force"));
    for (const force of ["yes", "1", "TRUE", "", "true%20"]) {
      await expectRefused(await call("DELETE", `/admin/queues/launch?force=${force}`), unprocessable("force"));
    }
  });

  it.each(["short", "x".repeat(23), "%7Bx%7D", `${"x".repeat(21)}%20`])(
    "is refused by its name: sessionId %s",
    async (id) => {
      await expectRefused(await call("DELETE", `/admin/queues/launch/sessions/${id}`), unprocessable("sessionId"));
    },
  );
});
