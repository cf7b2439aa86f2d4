import type { Visit } from "../proxy/read-visit.ts";

/**
 * To the same page without the invite, so that it stays neither in the address bar nor in a history nor in a Referer. The path is the normalised
 * one: it begins with one slash and has no other host in it.
 */
export function cleanRedirect({ target, requestId }: Visit): Response {
  const headers = { location: target.path + target.query, "cache-control": "no-store", "referrer-policy": "no-referrer" };
  return new Response(null, { status: 303, headers: { ...headers, "x-request-id": requestId } });
}
