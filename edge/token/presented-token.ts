import { serialize } from "hono/utils/cookie";
import { tokenCookieName, type VisitorTokenKind } from "../../shared/admission.ts";
import { parseQueueId, type QueueId } from "../../shared/queue-id.ts";
import { fail, ok, type Result } from "../../shared/result.ts";

/** How a visitor's ticket or pass comes in and goes out: by cookie, or by `Authorization: Bearer` for programs. */
export type PresentedToken = Result<string | undefined, "cookie_repeated" | "bearer_malformed">;

type CookieOf = { readonly kind: VisitorTokenKind; readonly queueId: QueueId; readonly secure: boolean };

/**
 * The cookie of this name, if there is one. Two of one name with different values mean that somebody else could plant one (a sibling
 * host, a page under another path): which of them is the visitor's cannot be known, so neither is taken.
 */
export function tokenFromCookies(header: string | null | undefined, cookie: CookieOf): PresentedToken {
  const name = `${tokenCookieName(cookie.kind, cookie.queueId, cookie)}=`;
  let value: string | undefined;
  for (const pair of (header ?? "").split(";")) {
    const trimmed = pair.trim();
    if (!trimmed.startsWith(name)) continue;
    const next = trimmed.slice(name.length);
    if (value !== undefined && value !== next) return fail("cookie_repeated");
    value = next;
  }
  return ok(value);
}

/** The queues whose cookies of this kind came along, in their order; at most so many. */
export function queuesInCookies(
  header: string | null | undefined,
  cookie: Omit<CookieOf, "queueId">,
  queuesMax: number,
): readonly QueueId[] {
  const prefix = tokenCookieName(cookie.kind, "" as QueueId, cookie);
  const found = new Set<QueueId>();
  for (const pair of (header ?? "").split(";")) {
    const trimmed = pair.trim();
    if (found.size === queuesMax || !trimmed.startsWith(prefix)) continue;
    const queueId = parseQueueId(trimmed.slice(prefix.length, Math.max(0, trimmed.indexOf("="))));
    if (queueId.ok) found.add(queueId.value);
  }
  return [...found];
}

const BEARER_SCHEME = /^bearer(?: |$)/i;
const BEARER = /^bearer +([\w.~+/=-]+)$/i;

/** Another scheme is somebody else's business; `Bearer` with anything but one token is refused. */
export function tokenFromAuthorization(header: string | null | undefined): PresentedToken {
  if (header === null || header === undefined || !BEARER_SCHEME.test(header)) return ok(undefined);
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? fail("bearer_malformed") : ok(token);
}

type Setting = CookieOf & { readonly sameSite?: "lax" | "none" };

/**
 * A `Set-Cookie` that lasts as long as the token. Scripts cannot read it, and other sites cannot send it along with a form unless the queue
 * wants that. Browsers take `None` on https only: on plain http it stays `Lax`.
 */
export function tokenCookie(cookie: Setting & { readonly token: string; readonly lifetimeSeconds: number }): string {
  return serialize(tokenCookieName(cookie.kind, cookie.queueId, cookie), cookie.token, {
    path: "/",
    httpOnly: true,
    sameSite: cookie.sameSite === "none" && cookie.secure ? "None" : "Lax",
    secure: cookie.secure,
    maxAge: Math.max(0, Math.floor(cookie.lifetimeSeconds)),
  });
}

export function clearedTokenCookie(cookie: Setting): string {
  return tokenCookie({ ...cookie, token: "", lifetimeSeconds: 0 });
}
