import { decodeProtectedHeader } from "jose";
import { type Pass, type Ticket, tokenType, type VisitorTokenKind } from "../../shared/admission.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import type { Result } from "../../shared/result.ts";
import type { TokenRefusal } from "../../shared/verify-token.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { queuesInCookies, tokenFromAuthorization, tokenFromCookies } from "../token/presented-token.ts";
import type { ReadToken, Tokens } from "../token/tokens.ts";
import { leadsTo } from "./pass-scope.ts";

/** What a request shows of one kind of token, already verified. `by` says where it was: only a cookie can be cleared. */
export type Presented<Held> =
  | { readonly state: "none" }
  | { readonly state: "invalid"; readonly by: "cookie" | "bearer"; readonly reason: TokenRefusal | "cookie_repeated" }
  | { readonly state: "valid"; readonly by: "cookie" | "bearer"; readonly held: Held };

/** A `slotless` pass is well signed and is not valid: see `walk-in.ts`. */
export type PresentedPass = Presented<HeldPass> | { readonly state: "slotless"; readonly by: "cookie" | "bearer"; readonly held: HeldPass };

export type HeldPass = { readonly token: string; readonly pass: Pass };
export type HeldTicket = { readonly token: string; readonly ticket: Ticket };

type Reading = { readonly tokens: Tokens; readonly queueId: QueueId; readonly nowMs: number };

/** At once for a token seen before, or for none. */
type Presenting<Held> = Presented<Held> | Promise<Presented<Held>>;

export function presentedPass(visit: Visit, { tokens, queueId, nowMs }: Reading): PresentedPass | Promise<PresentedPass> {
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

/** For an isolate that knows no routes: the first pass that holds and says of itself that it is good at this address. */
export async function passForTarget(visit: Visit, { tokens, nowMs }: Omit<Reading, "queueId">): Promise<PresentedPass> {
  const { headers, target } = visit;
  const isGoodHere = (shown: PresentedPass) => shown.state === "valid" && leadsTo(shown.held.pass, target);
  const bearer = bearerOfKind(headers, "pass");
  if (bearer !== undefined) {
    const read = (token: string) => tokens.readPassOfAnyQueue(token, { nowMs });
    const shown = withSlot(await judge(bearer, "bearer", { read, hold: holdPass }));
    return isGoodHere(shown) ? shown : NONE;
  }
  for (const queueId of queuesInCookies(headers.get("cookie"), { kind: "pass", secure: target.protocol === "https" }, PASSES_MAX)) {
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
 * A bearer token counts only when it says that it is of this kind: on a protected URL `Authorization` may be the application's own,
 * and then it is none of our business.
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

function judge<Content, Held>(token: string, by: "cookie" | "bearer", { read, hold }: Reader<Content, Held>): Presenting<Held> {
  const verdict = (content: Result<Content, TokenRefusal>): Presented<Held> =>
    content.ok ? { state: "valid", by, held: hold(token, content.value) } : { state: "invalid", by, reason: content.reason };
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
