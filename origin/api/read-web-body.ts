import { fail, ok } from "../../shared/result.ts";
import type { ReadBody } from "./api-request.ts";

/** The body of a web request, up to a bound. */
export async function readWebBody(request: Request, bytesMax: number): Promise<ReadBody> {
  if (request.method === "GET" || request.method === "HEAD" || request.body === null) return ok(Buffer.alloc(0));
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.length;
    if (length > bytesMax) return fail("body_too_large");
    chunks.push(chunk);
  }
  return ok(Buffer.concat(chunks));
}
