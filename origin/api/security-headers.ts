const HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/** Answers are data: a browser that shows one as a page loads and runs nothing. */
const NOTHING_LOADS = "default-src 'none'; frame-ancestors 'none'";
const ONE_YEAR_OF_HTTPS = "max-age=31536000";

const OVER_HTTP: Readonly<Record<string, string>> = { ...HEADERS, "content-security-policy": NOTHING_LOADS };
const OVER_HTTPS: Readonly<Record<string, string>> = { ...OVER_HTTP, "strict-transport-security": ONE_YEAR_OF_HTTPS };

/** Names and values in turn, the fastest form for `node:http`. */
const LINES_OVER_HTTP = Object.entries(OVER_HTTP).flat();
const LINES_OVER_HTTPS = Object.entries(OVER_HTTPS).flat();

type Way = { readonly isHttps: boolean };

/** An answer whose text and headers are known, so that writing it to a socket does not read the Response. */
export type PlainAnswer = {
  readonly status: number;
  readonly lines: readonly string[];
  readonly body: string | Uint8Array;
};

const PLAIN = Symbol("plain");
type Plain = { [PLAIN]?: PlainAnswer };

export function plainAnswer(response: Response): PlainAnswer | undefined {
  return (response as Plain)[PLAIN];
}

/**
 * Almost every answer: JSON or an empty body. It has these headers from the beginning: setting them one by one costs as
 * much as reading the request.
 */
export function securedAnswer(
  body: unknown,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  { isHttps }: Way,
): Response {
  const lines = [...(isHttps ? LINES_OVER_HTTPS : LINES_OVER_HTTP)];
  for (const name in headers) lines.push(name, headers[name] as string);
  if (body !== undefined && headers["content-type"] === undefined) lines.push("content-type", "application/json");
  const text = body === undefined ? "" : JSON.stringify(body);
  const response = new Response(body === undefined ? null : text, { status, headers: pairsOf(lines) });
  (response as Plain)[PLAIN] = { status, lines, body: text };
  return response;
}

/** JSON that was written before, for answers that many callers share. */
export function securedJson(
  body: Buffer<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
  { isHttps }: Way,
): Response {
  const lines = [...(isHttps ? LINES_OVER_HTTPS : LINES_OVER_HTTP), "content-type", "application/json"];
  for (const name in headers) lines.push(name, headers[name] as string);
  const response = new Response(body, { headers: pairsOf(lines) });
  (response as Plain)[PLAIN] = { status: 200, lines, body };
  return response;
}

/**
 * An answer of bytes that many requests share. The Response reads them only if something other than our own server
 * sends it, because copying a large body for each request costs more than everything else.
 */
export function securedBytes(
  body: Uint8Array,
  { headers, isHttps }: Way & { readonly headers: Readonly<Record<string, string>> },
): Response {
  const lines = [...(isHttps ? LINES_OVER_HTTPS : LINES_OVER_HTTP)];
  for (const name in headers) lines.push(name, headers[name] as string);
  const lazily = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
  const response = new Response(lazily, { headers: pairsOf(lines) });
  (response as Plain)[PLAIN] = { status: 200, lines, body };
  return response;
}

function pairsOf(lines: readonly string[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 2) pairs[lines[at] as string] = lines[at + 1] as string;
  return pairs;
}

/** For all other answers of the API; a page with its own policy keeps it. */
export function addSecurityHeaders(response: Response, { isHttps }: Way): void {
  if (plainAnswer(response) !== undefined) return;
  for (const [name, value] of Object.entries(isHttps ? OVER_HTTPS : OVER_HTTP)) {
    if (name !== "content-security-policy" || !response.headers.has(name)) response.headers.set(name, value);
  }
}
