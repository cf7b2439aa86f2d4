import { serialize } from "hono/utils/cookie";
import type { QueueId } from "../../../shared/queue-id.ts";
import type { VisitorTokenKind } from "../../../shared/tokens/admission.ts";
import { writable } from "../../proxy/forwarding.ts";
import type { Visit } from "../../request/read-visit.ts";
import { INVITE_FAULTS, type InviteFault } from "../../room/invite-fault.ts";
import { comesWithoutCookies, sentBy } from "../asks.ts";
import type { IssuedPass, IssuedTicket } from "../issue.ts";
import type { GuardedQueue } from "../open-gate.ts";
import { clearedTokenCookie, tokenCookie } from "../presented.ts";
import { LEAVING_SECONDS } from "../sessions/leaving.ts";

/** The `Set-Cookie` values of one answer. */
export type VisitorCookies = {
  readonly setTicket: (issued: IssuedTicket) => void;
  /** Also clears the ticket, which is used up. */
  readonly setPass: (issued: IssuedPass) => void;
  /** A cookie that the client did not send needs no clearing, unless this very answer would bring it. */
  readonly clear: (kind: VisitorTokenKind, options?: { readonly always: boolean }) => void;
  /** Another cookie of the gate. */
  readonly add: (line: string) => void;
  /** Into the headers of an answer that is made here. */
  readonly addTo: (headers: Headers) => void;
  /** For a response that may be the origin's, with read-only headers: that one is copied. */
  readonly putOn: (response: Response) => Response;
};

type Queue = Pick<GuardedQueue, "gate" | "queueId"> & {
  readonly settings?: Pick<GuardedQueue["settings"], "sameSite">;
};

/**
 * Nothing is set on the answer to a request that came without the cookies that its visitor may have: a page of another
 * site could replace a place or a pass with it.
 */
export function createVisitorCookies(visit: Visit, { gate, queueId, settings }: Queue): VisitorCookies {
  const { target, headers } = visit;
  const secure = target.protocol === "https";
  const sameSite = settings?.sameSite ?? "lax";
  const isMute = () => comesWithoutCookies(sentBy(visit, sameSite));
  const values = new Map<VisitorTokenKind | "other", string>();
  const isSent = (kind: VisitorTokenKind) => headers.get("cookie")?.includes(`sluice-${kind}-${queueId}=`) ?? false;
  const lifetimeSeconds = (endsAtMs: number) => (endsAtMs - gate.clock.nowMs()) / 1000;

  function clear(kind: VisitorTokenKind, { always } = { always: false }): void {
    if (always || isSent(kind)) values.set(kind, clearedTokenCookie({ kind, queueId, secure, sameSite }));
  }

  function addTo(answerHeaders: Headers): void {
    if (values.size === 0 || isMute()) return;
    for (const value of values.values()) answerHeaders.append("set-cookie", value);
    keepFromSharedCaches(answerHeaders);
  }

  return {
    clear,
    addTo,
    add: (line) => void values.set("other", line),
    setTicket({ token, ticket, isNew }) {
      if (!isNew) return;
      const lifetime = lifetimeSeconds(ticket.expiresAtSeconds * 1000);
      values.set(
        "ticket",
        tokenCookie({ kind: "ticket", queueId, secure, sameSite, token, lifetimeSeconds: lifetime }),
      );
    },
    setPass({ token, expiresAtMs }) {
      values.set(
        "pass",
        tokenCookie({ kind: "pass", queueId, secure, sameSite, token, lifetimeSeconds: lifetimeSeconds(expiresAtMs) }),
      );
      clear("ticket");
    },
    putOn(response) {
      if (values.size === 0 || isMute()) return response;
      const answer = writable(response);
      addTo(answer.headers);
      return answer;
    },
  };
}

const SHARED = /^(?:public|s-maxage=.*|proxy-revalidate)$/i;
const PRIVATE = /\b(?:private|no-store)\b/i;

/** A shared cache must never give one visitor's pass to another. */
function keepFromSharedCaches(headers: Headers): void {
  const sent = headers.get("cache-control") ?? "";
  if (PRIVATE.test(sent)) return;
  const kept = sent
    .split(",")
    .map((directive) => directive.trim())
    .filter((directive) => directive !== "" && !SHARED.test(directive));
  headers.set("cache-control", ["private", ...kept].join(", "));
}

/**
 * Set when a page of an admitted visitor was closed: any edge then knows without a store call that the session is about
 * to end, and records at once that it is in use. It decides nothing else.
 */
export function leavingCookie(visit: Visit, queueId: QueueId): string {
  return smallCookie(visit, { name: `leaving-${queueId}`, value: "1", maxAge: LEAVING_SECONDS });
}

export function clearedLeavingCookie(visit: Visit, queueId: QueueId): string {
  return smallCookie(visit, { name: `leaving-${queueId}`, value: "1", maxAge: 0 });
}

/**
 * A pass ends with its session, and a ban may last longer: until then the browser keeps the session's id, sealed, so
 * that it cannot be forged for another visitor. A visitor who deletes the cookie, or uses another browser, is not
 * recognised.
 */
export async function banCookie(
  visit: Visit,
  { queueId, gate }: GuardedQueue,
  { sessionId, banLeftMs }: Banned,
): Promise<string> {
  const value = await gate.sealedTexts.seal(sessionId);
  return smallCookie(visit, { name: `ban-${queueId}`, value, maxAge: Math.ceil(banLeftMs / 1000) });
}

type Banned = { readonly sessionId: string; readonly banLeftMs: number };

/** The banned session of this browser, if there is one. */
export async function bannedSession(visit: Visit, { queueId, gate }: GuardedQueue): Promise<string | undefined> {
  const sealed = smallCookieOf(visit, `ban-${queueId}`);
  return sealed === undefined ? undefined : gate.sealedTexts.open(sealed);
}

export function clearedBanCookie(visit: Visit, queueId: QueueId): string {
  return smallCookie(visit, { name: `ban-${queueId}`, value: "", maxAge: 0 });
}

/** Long enough to be read after the redirect, short enough not to be shown again the next day. */
const NOTICE_SECONDS = 60;

/** One page finds the fault of an invite, and the next page, whose URL has no invite, shows it. */
export function noticeCookie(visit: Visit, queueId: QueueId, fault: InviteFault): string {
  return smallCookie(visit, { name: `notice-${queueId}`, value: fault, maxAge: NOTICE_SECONDS });
}

/** Any client can set a cookie of this name; only listed values are accepted. */
export function noticeFrom(visit: Visit, queueId: QueueId): InviteFault | undefined {
  const value = smallCookieOf(visit, `notice-${queueId}`);
  return INVITE_FAULTS.find((fault) => fault === value);
}

type SmallCookie = { readonly name: string; readonly value: string; readonly maxAge: number };

/** The gate's other cookies: none of them admits anyone. */
function smallCookie(visit: Visit, { name, value, maxAge }: SmallCookie): string {
  const secure = visit.target.protocol === "https";
  return serialize(fullName(visit, name), value, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge });
}

function smallCookieOf(visit: Visit, name: string): string | undefined {
  const cookies = visit.headers.get("cookie");
  const start = `${fullName(visit, name)}=`;
  if (!cookies?.includes(start)) return undefined;
  const pairs = cookies.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

function fullName({ target }: Visit, name: string): string {
  return `${target.protocol === "https" ? "__Host-" : ""}sluice-${name}`;
}
