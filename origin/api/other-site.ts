/**
 * Whether a page of another site makes a browser send this. Nothing here is answered by cookies, so that such a request could do
 * nothing in anybody's name; it is refused all the same, and no other site may read an answer: no CORS header is ever sent.
 */
export function isFromAnotherSite(request: Asked): boolean {
  if (request.headers.get("sec-fetch-site") === "cross-site") return !isNavigation(request);
  const origin = request.headers.get("origin");
  if (origin === null) return false;
  const host = request.headers.get("x-forwarded-host") ?? request.headers.get("host");
  return !URL.canParse(origin) || new URL(origin).host !== host;
}

type Asked = { readonly method: string; readonly headers: Pick<Headers, "get"> };

/** Somebody follows a link to the documentation. */
function isNavigation(request: Asked): boolean {
  return request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate";
}
