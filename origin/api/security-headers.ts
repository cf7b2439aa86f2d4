const HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

/** Data is not a page: a browser that is made to show it as one loads and runs nothing. */
const NOTHING_LOADS = "default-src 'none'; frame-ancestors 'none'";
const ONE_YEAR_OF_HTTPS = "max-age=31536000";

const OVER_HTTP: Readonly<Record<string, string>> = { ...HEADERS, "content-security-policy": NOTHING_LOADS };
const OVER_HTTPS: Readonly<Record<string, string>> = { ...OVER_HTTP, "strict-transport-security": ONE_YEAR_OF_HTTPS };

type Way = { readonly isHttps: boolean };

/** Answers that were made with these headers from the beginning: setting them one by one costs as much as reading the request. */
const made = new WeakSet<Response>();

/** Nearly every answer: JSON, or nothing. */
export function securedAnswer(
  body: unknown,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  { isHttps }: Way,
) {
  const all: Record<string, string> = { ...(isHttps ? OVER_HTTPS : OVER_HTTP), ...headers };
  if (body !== undefined) all["content-type"] ??= "application/json";
  const response = new Response(body === undefined ? null : JSON.stringify(body), { status, headers: all });
  made.add(response);
  return response;
}

/** On every other answer of the API; a page that sets a policy of its own keeps it. */
export function addSecurityHeaders(response: Response, { isHttps }: Way): void {
  if (made.has(response)) return;
  for (const [name, value] of Object.entries(isHttps ? OVER_HTTPS : OVER_HTTP)) {
    if (name !== "content-security-policy" || !response.headers.has(name)) response.headers.set(name, value);
  }
}
