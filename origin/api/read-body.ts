import { fail, ok, type Result } from "../../shared/result.ts";

/** An order with everything has 1 kB. */
const BODY_BYTES_MAX = 64 * 1024;
/** Past this a caller is cut off in the middle of sending. */
const LET_GO_BYTES_MAX = 1024 * 1024;

/** Up to a bound. The rest is read and let go, or the caller, still sending, would never see the answer. */
export async function readBody(request: Request, bytesMax = BODY_BYTES_MAX): Promise<Result<Buffer, "body_too_large">> {
  if (request.method === "GET" || request.method === "HEAD") return ok(Buffer.alloc(0));
  // A length that was told, and that Node holds the sender to, can be read in one go: a web stream costs more than the rest of the reading.
  const told = request.headers.get("content-length");
  if (told !== null && Number(told) <= bytesMax) return ok(Buffer.from(await request.arrayBuffer()));
  if (request.body === null) return ok(Buffer.alloc(0));
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.length;
    if (length > LET_GO_BYTES_MAX) break;
    if (length <= bytesMax) chunks.push(chunk);
  }
  return length > bytesMax ? fail("body_too_large") : ok(Buffer.concat(chunks));
}
