import { decodeProtectedHeader } from "jose";
import { type Pass, type Ticket, type TokenKind, tokenType } from "../../shared/admission.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { Result } from "../../shared/result.ts";
import type { TokenRefusal } from "../../shared/verify-token.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { tokenFromAuthorization, tokenFromCookies } from "../token/presented-token.ts";
import type { Tokens } from "../token/tokens.ts";

/** What a request shows of one kind of token, already verified. `by` says where it was: only a cookie can be cleared. */
export type Presented<Held> =
  | { readonly state: "none" }
  | { readonly state: "invalid"; readonly by: "cookie" | "bearer"; readonly reason: TokenRefusal | "cookie_repeated" }
  | { readonly state: "valid"; readonly by: "cookie" | "bearer"; readonly held: Held };

export type HeldPass = { readonly token: string; readonly pass: Pass };
export type HeldTicket = { readonly token: string; readonly ticket: Ticket };

type Reading = { readonly tokens: Tokens; readonly queueId: QueueId; readonly nowMs: number };

export function presentedPass(visit: Visit, { tokens, queueId, nowMs }: Reading): Promise<Presented<HeldPass>> {
  return present(visit, { kind: "pass", queueId }, async (token) => {
    const read = await tokens.readPass(token, { queueId, nowMs });
    return read.ok ? { ok: true, value: { token, pass: read.value } } : read;
  });
}

export function presentedTicket(visit: Visit, { tokens, queueId, nowMs }: Reading): Promise<Presented<HeldTicket>> {
  return present(visit, { kind: "ticket", queueId }, async (token) => {
    const read = await tokens.readTicket(token, { queueId, nowMs });
    return read.ok ? { ok: true, value: { token, ticket: read.value } } : read;
  });
}

type Sought = { readonly kind: TokenKind; readonly queueId: QueueId };

/**
 * A bearer token counts only when it says that it is of this kind: on a protected URL `Authorization` may be the application's own,
 * and then it is none of our business.
 */
async function present<Held>(
  { headers, target }: Visit,
  { kind, queueId }: Sought,
  read: (token: string) => Promise<Result<Held, TokenRefusal>>,
): Promise<Presented<Held>> {
  const bearer = tokenFromAuthorization(headers.get("authorization"));
  if (bearer.ok && bearer.value !== undefined && isOfKind(bearer.value, kind)) return verdict("bearer", await read(bearer.value));
  const cookie = tokenFromCookies(headers.get("cookie"), { kind, queueId, secure: target.protocol === "https" });
  if (!cookie.ok) return { state: "invalid", by: "cookie", reason: "cookie_repeated" };
  return cookie.value === undefined ? { state: "none" } : verdict("cookie", await read(cookie.value));
}

function verdict<Held>(by: "cookie" | "bearer", read: Result<Held, TokenRefusal>): Presented<Held> {
  return read.ok ? { state: "valid", by, held: read.value } : { state: "invalid", by, reason: read.reason };
}

function isOfKind(token: string, kind: TokenKind): boolean {
  try {
    return decodeProtectedHeader(token).typ === tokenType(kind);
  } catch {
    return false;
  }
}
