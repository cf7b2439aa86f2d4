import { decodeProtectedHeader } from "jose";
import { type Pass, type Ticket, type TokenKind, tokenType } from "../../shared/admission.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { Result } from "../../shared/result.ts";
import type { TokenRefusal } from "../../shared/verify-token.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { tokenFromAuthorization, tokenFromCookies } from "../token/presented-token.ts";
import type { ReadToken, Tokens } from "../token/tokens.ts";

/** What a request shows of one kind of token, already verified. `by` says where it was: only a cookie can be cleared. */
export type Presented<Held> =
  | { readonly state: "none" }
  | { readonly state: "invalid"; readonly by: "cookie" | "bearer"; readonly reason: TokenRefusal | "cookie_repeated" }
  | { readonly state: "valid"; readonly by: "cookie" | "bearer"; readonly held: Held };

export type HeldPass = { readonly token: string; readonly pass: Pass };
export type HeldTicket = { readonly token: string; readonly ticket: Ticket };

type Reading = { readonly tokens: Tokens; readonly queueId: QueueId; readonly nowMs: number };

/** At once for a token seen before, or for none. */
type Presenting<Held> = Presented<Held> | Promise<Presented<Held>>;

export function presentedPass(visit: Visit, { tokens, queueId, nowMs }: Reading): Presenting<HeldPass> {
  return present(visit, {
    kind: "pass",
    queueId,
    read: (token) => tokens.readPass(token, { queueId, nowMs }),
    hold: (token, pass) => ({ token, pass }),
  });
}

export function presentedTicket(visit: Visit, { tokens, queueId, nowMs }: Reading): Presenting<HeldTicket> {
  return present(visit, {
    kind: "ticket",
    queueId,
    read: (token) => tokens.readTicket(token, { queueId, nowMs }),
    hold: (token, ticket) => ({ token, ticket }),
  });
}

type Sought<Content, Held> = {
  readonly kind: TokenKind;
  readonly queueId: QueueId;
  readonly read: (token: string) => ReadToken<Content>;
  readonly hold: (token: string, content: Content) => Held;
};

/**
 * A bearer token counts only when it says that it is of this kind: on a protected URL `Authorization` may be the application's own,
 * and then it is none of our business.
 */
function present<Content, Held>({ headers, target }: Visit, sought: Sought<Content, Held>): Presenting<Held> {
  const { kind, queueId } = sought;
  const bearer = tokenFromAuthorization(headers.get("authorization"));
  if (bearer.ok && bearer.value !== undefined && isOfKind(bearer.value, kind)) return judge(bearer.value, "bearer", sought);
  const cookie = tokenFromCookies(headers.get("cookie"), { kind, queueId, secure: target.protocol === "https" });
  if (!cookie.ok) return { state: "invalid", by: "cookie", reason: "cookie_repeated" };
  return cookie.value === undefined ? { state: "none" } : judge(cookie.value, "cookie", sought);
}

function judge<Content, Held>(token: string, by: "cookie" | "bearer", { read, hold }: Sought<Content, Held>): Presenting<Held> {
  const verdict = (content: Result<Content, TokenRefusal>): Presented<Held> =>
    content.ok ? { state: "valid", by, held: hold(token, content.value) } : { state: "invalid", by, reason: content.reason };
  const content = read(token);
  return content instanceof Promise ? content.then(verdict) : verdict(content);
}

function isOfKind(token: string, kind: TokenKind): boolean {
  try {
    return decodeProtectedHeader(token).typ === tokenType(kind);
  } catch {
    return false;
  }
}
