import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Redis } from "ioredis";

/**
 * A lower bound for a durable order over HTTP: `node:http`, the same JSON parsed, one `XADD` per request on a Redis
 * with `appendfsync always`, and an answer once Redis has answered. Appends of one turn of the event loop share a
 * pipeline. No authentication, no checks, no matching.
 */
const redis = new Redis(process.env["BENCH_REDIS_URL"] ?? "", { enableAutoPipelining: true });
// Without its Redis there is nothing to measure, and no parent may be left to stop it.
redis.on("error", () => process.exit(1));
const STREAM = "orders";
/** Bounds the memory of a long run; approximate trimming is cheap. */
const ENTRIES_MAX = 100_000;

async function append(bytes: Buffer, res: ServerResponse): Promise<void> {
  const order: unknown = JSON.parse(bytes.toString());
  const id = await redis.xadd(STREAM, "MAXLEN", "~", ENTRIES_MAX, "*", "order", JSON.stringify(order));
  const answer = JSON.stringify({ id, order });
  res.writeHead(201, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(answer),
    "cache-control": "no-store",
  });
  res.end(answer);
}

function serve(req: IncomingMessage, res: ServerResponse): void {
  if (req.method === "GET") {
    res.end("ready");
    return;
  }
  const pieces: Buffer[] = [];
  req.on("data", (piece: Buffer) => pieces.push(piece));
  // A failure ends the process: its figures would mean nothing.
  req.on("end", () => void append(Buffer.concat(pieces), res));
}

createServer(serve).listen(Number(process.env["BENCH_PORT"]), "127.0.0.1");
