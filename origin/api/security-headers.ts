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

/** On every answer of the API; a page that sets a policy of its own keeps it. */
export function withSecurityHeaders(response: Response, { isHttps }: { readonly isHttps: boolean }): Response {
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value);
  if (!response.headers.has("content-security-policy")) response.headers.set("content-security-policy", NOTHING_LOADS);
  if (isHttps) response.headers.set("strict-transport-security", ONE_YEAR_OF_HTTPS);
  return response;
}
