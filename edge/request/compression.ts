/**
 * The gate's pages and files are sent with gzip to clients that accept it. Small JSON is not worth it, and the origin's
 * responses are not changed.
 */

const GZIP = { "content-encoding": "gzip" } as const;
/** Otherwise workerd would compress once more what says that it is compressed. */
const AS_IT_IS = { encodeBody: "manual" } as const;

type TextAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string>> };

/**
 * An answer with this text, compressed if `request` accepts that. `headers` have to name `accept-encoding` in `vary`.
 */
export function textResponse(
  request: Pick<Request, "method" | "headers">,
  text: string,
  { status, headers }: TextAnswer,
): Response {
  const isHead = request.method === "HEAD";
  if (!acceptsGzip(request.headers)) return new Response(isHead ? null : text, { status, headers });
  return gzipResponse(isHead ? null : gzipStream(text), { status, headers });
}

/** An answer whose body is compressed already. */
export function gzipResponse(
  body: ReadableStream<Uint8Array> | ArrayBuffer | null,
  { status, headers }: TextAnswer,
): Response {
  return new Response(body, { status, headers: { ...headers, ...GZIP }, ...AS_IT_IS });
}

export async function gzipBytes(text: string): Promise<ArrayBuffer> {
  return new Response(gzipStream(text)).arrayBuffer();
}

function gzipStream(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
}

const CODING = /^(?:x-)?([a-z*]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/;
/** No real client sends more codings. */
const CODINGS_MAX = 20;

/** RFC 9110, 12.5.3. A client that says nothing gets the text as it is, and so does one that prefers it. */
export function acceptsGzip(headers: Headers): boolean {
  const qualities = new Map<string, number>();
  for (const part of (headers.get("accept-encoding") ?? "").toLowerCase().split(",", CODINGS_MAX)) {
    const [, coding, quality = "1"] = CODING.exec(part.trim()) ?? [];
    if (coding !== undefined) qualities.set(coding, Number(quality));
  }
  const gzip = qualities.get("gzip") ?? qualities.get("*") ?? 0;
  return gzip > 0 && gzip >= (qualities.get("identity") ?? 0);
}
