import { serialize } from "hono/utils/cookie";
import { decodeProtectedHeader } from "jose";
import { parseQueueId, type QueueId } from "../../shared/queue-id.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import {
  type Pass,
  type Ticket,
  tokenCookieName,
  tokenType,
  type VisitorTokenKind,
} from "../../shared/tokens/admission.ts";
import type { TokenRefusal } from "../../shared/tokens/verify-token.ts";
import type { Visit } from "../request/read-visit.ts";
import type { ReadToken, Tokens } from "../tokens/tokens.ts";
import { leadsTo } from "./routes/pass-scope.ts";

/** One kind of token in a request, already verified. `by` says where it was: only a cookie can be cleared. */
export type Presented<Held> =
  | { readonly state: "none" }
  | { readonly state: "invalid"; readonly by: "cookie" | "bearer"; readonly reason: TokenRefusal | "cookie_repeated" }
  | { readonly state: "valid"; readonly by: "cookie" | "bearer"; readonly held: Held };

/** A `slotless` pass is well signed and is not valid: see `walkIn`. */
export type PresentedPass =
  | Presented<HeldPass>
  | { readonly state: "slotless"; readonly by: "cookie" | "bearer"; readonly held: HeldPass };

export type HeldPass = { readonly token: string; readonly pass: Pass };
export type HeldTicket = { readonly token: string; readonly ticket: Ticket };

type Reading = { readonly tokens: Tokens; readonly queueId: QueueId; readonly nowMs: number };

/** At once for a token seen before, or for none. */
type Presenting<Held> = Presented<Held> | Promise<Presented<Held>>;

export function presentedPass(
  visit: Visit,
  { tokens, queueId, nowMs }: Reading,
): PresentedPass | Promise<PresentedPass> {
  const read = (token: string) => tokens.readPass(token, { queueId, nowMs });
  const shown = present(visit, { kind: "pass", queueId, read, hold: holdPass });
  return shown instanceof Promise ? shown.then(withSlot) : withSlot(shown);
}

function withSlot(shown: Presented<HeldPass>): PresentedPass {
  return shown.state === "valid" && shown.held.pass.slotless ? { ...shown, state: "slotless" } : shown;
}

function holdPass(token: string, pass: Pass): HeldPass {
  return { token, pass };
}

/** How many of a request's passes are looked at where no route says which of them counts. */
const PASSES_MAX = 8;

/**
 * For an isolate that knows no routes: the first pass that holds and says of itself that it is good at this address.
 */
export async function passForTarget(visit: Visit, { tokens, nowMs }: Omit<Reading, "queueId">): Promise<PresentedPass> {
  const { headers, target } = visit;
  const isGoodHere = (shown: PresentedPass) => shown.state === "valid" && leadsTo(shown.held.pass, target);
  const bearer = bearerOfKind(headers, "pass");
  if (bearer !== undefined) {
    const read = (token: string) => tokens.readPassOfAnyQueue(token, { nowMs });
    const shown = withSlot(await judge(bearer, "bearer", { read, hold: holdPass }));
    return isGoodHere(shown) ? shown : NONE;
  }
  for (const queueId of queuesInCookies(
    headers.get("cookie"),
    { kind: "pass", secure: target.protocol === "https" },
    PASSES_MAX,
  )) {
    const shown = await presentedPass(visit, { tokens, queueId, nowMs });
    if (isGoodHere(shown)) return shown;
  }
  return NONE;
}

const NONE = { state: "none" } as const;

export function presentedTicket(visit: Visit, { tokens, queueId, nowMs }: Reading): Presenting<HeldTicket> {
  return present(visit, {
    kind: "ticket",
    queueId,
    read: (token) => tokens.readTicket(token, { queueId, nowMs }),
    hold: (token, ticket) => ({ token, ticket }),
  });
}

type Sought<Content, Held> = {
  readonly kind: VisitorTokenKind;
  readonly queueId: QueueId;
  readonly read: (token: string) => ReadToken<Content>;
  readonly hold: (token: string, content: Content) => Held;
};

/**
 * A bearer token counts only if its header names this kind: on a protected URL `Authorization` may belong to the
 * application.
 */
function present<Content, Held>({ headers, target }: Visit, sought: Sought<Content, Held>): Presenting<Held> {
  const { kind, queueId } = sought;
  const bearer = bearerOfKind(headers, kind);
  if (bearer !== undefined) return judge(bearer, "bearer", sought);
  const cookie = tokenFromCookies(headers.get("cookie"), { kind, queueId, secure: target.protocol === "https" });
  if (!cookie.ok) return { state: "invalid", by: "cookie", reason: "cookie_repeated" };
  return cookie.value === undefined ? NONE : judge(cookie.value, "cookie", sought);
}

type Reader<Content, Held> = Pick<Sought<Content, Held>, "read" | "hold">;

function judge<Content, Held>(
  token: string,
  by: "cookie" | "bearer",
  { read, hold }: Reader<Content, Held>,
): Presenting<Held> {
  const verdict = (content: Result<Content, TokenRefusal>): Presented<Held> =>
    content.ok
      ? { state: "valid", by, held: hold(token, content.value) }
      : { state: "invalid", by, reason: content.reason };
  const content = read(token);
  return content instanceof Promise ? content.then(verdict) : verdict(content);
}

function bearerOfKind(headers: Headers, kind: VisitorTokenKind): string | undefined {
  const bearer = tokenFromAuthorization(headers.get("authorization"));
  return bearer.ok && bearer.value !== undefined && isOfKind(bearer.value, kind) ? bearer.value : undefined;
}

function isOfKind(token: string, kind: VisitorTokenKind): boolean {
  try {
    return decodeProtectedHeader(token).typ === tokenType(kind);
  } catch {
    return false;
  }
}

/** How a visitor's ticket or pass comes in and goes out: by cookie, or by `Authorization: Bearer` for programs. */
export type PresentedToken = Result<string | undefined, "cookie_repeated" | "bearer_malformed">;

type CookieOf = { readonly kind: VisitorTokenKind; readonly queueId: QueueId; readonly secure: boolean };

/**
 * The cookie of this name, if there is one. Two of one name with different values mean that an attacker could plant one
 * (from a sibling host, or a page under another path). The visitor's own cannot be told apart, so neither is accepted.
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

/** Other schemes belong to the application; `Bearer` with anything but one token is refused. */
export function tokenFromAuthorization(header: string | null | undefined): PresentedToken {
  if (header === null || header === undefined || !BEARER_SCHEME.test(header)) return ok(undefined);
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? fail("bearer_malformed") : ok(token);
}

type Setting = CookieOf & { readonly sameSite?: "lax" | "none" };

/**
 * A `Set-Cookie` that lasts as long as the token. Scripts cannot read it, and other sites cannot send it along with a
 * form unless the queue wants that. Browsers take `None` on https only: on plain http it stays `Lax`.
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

/** The browser says that a page of this visitor was closed a moment ago: see `leavingCookie`. */
export function isLeaving({ headers }: Visit, queueId: QueueId): boolean {
  return headers.get("cookie")?.includes(`sluice-leaving-${queueId}=1`) ?? false;
}
