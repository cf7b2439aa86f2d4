// The least that can be called a waiting room, on Bun: INCR and ZADD for a join, GET and ZRANK for a poll, a ticket
// signed with HS256. No presence, no admission, no checks of the request.
import { createHmac } from "node:crypto";

const { Bun } = globalThis;
const redis = new Bun.RedisClient(process.env.REDIS_URL);
const key = "a secret for benchmarks only";
const header = encoded({ alg: "HS256", typ: "JWT" });
const json = { "content-type": "application/json", "cache-control": "no-store" };

function encoded(part) {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

function signatureOf(content) {
  return createHmac("sha256", key).update(content).digest("base64url");
}

async function join() {
  const number = await redis.incr("room:count");
  const id = crypto.randomUUID();
  await redis.zadd("room:line", number, id);
  const content = `${header}.${encoded({ sub: id, number, exp: Math.floor(Date.now() / 1000) + 3_600 })}`;
  const ticket = `${content}.${signatureOf(content)}`;
  const headers = { ...json, "set-cookie": `ticket=${ticket}; Path=/; HttpOnly; SameSite=Lax` };
  return new Response(JSON.stringify({ state: "waiting", ticket, position: number }), { status: 201, headers });
}

async function poll(request) {
  const ticket = /(?:^|; )ticket=([^;]+)/.exec(request.headers.get("cookie") ?? "")?.[1] ?? "";
  const [head, claims = "", signature] = ticket.split(".");
  if (signatureOf(`${head}.${claims}`) !== signature) return new Response(null, { status: 401 });
  const { sub } = JSON.parse(Buffer.from(claims, "base64url").toString());
  const [total, rank] = await Promise.all([redis.get("room:count"), redis.zrank("room:line", sub)]);
  return new Response(JSON.stringify({ state: "waiting", position: rank + 1, total: Number(total) }), {
    headers: json,
  });
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  fetch(request) {
    if (request.method === "GET") return new Response("{}", { headers: json });
    return request.url.endsWith("/enter") ? join() : poll(request);
  },
});
