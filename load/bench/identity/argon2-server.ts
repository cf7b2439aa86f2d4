import { createServer, type ServerResponse } from "node:http";
import { hash, verify } from "@node-rs/argon2";

/** The minimal sign-in: verifies the same hash with the same library, and nothing else. */
const PASSWORD = "a password of benchmarks";
const known = await hash(PASSWORD, { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 });

createServer((request, response) => {
  request.resume();
  request.on("end", () => void answer(request.method === "GET", response));
}).listen(Number(process.env["PORT"]), "127.0.0.1");

async function answer(isHealthCheck: boolean, response: ServerResponse): Promise<void> {
  const isRight = isHealthCheck || (await verify(known, PASSWORD));
  response.writeHead(isRight ? 200 : 401, { "content-length": 2 }).end("ok");
}
