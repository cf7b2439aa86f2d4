import type { VisitorTokenKind } from "../../shared/admission.ts";
import type { IssuedPass, IssuedTicket } from "../gate/issue.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import { writable } from "../platform.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { clearedTokenCookie, tokenCookie } from "../token/presented-token.ts";
import { comesWithoutCookies, sentBy } from "./asks.ts";

/** The `Set-Cookie` values of one answer. */
export type VisitorCookies = {
  readonly setTicket: (issued: IssuedTicket) => void;
  /** Also clears the ticket, which is used up. */
  readonly setPass: (issued: IssuedPass) => void;
  /** A cookie that the client did not send needs no clearing, unless this very answer would bring it. */
  readonly clear: (kind: VisitorTokenKind, options?: { readonly always: boolean }) => void;
  /** Any other cookie of ours. */
  readonly add: (line: string) => void;
  /** Into the headers of an answer that is made here. */
  readonly addTo: (headers: Headers) => void;
  /** On an answer that may be the origin's, whose headers nobody may write to: that one is copied. */
  readonly putOn: (response: Response) => Response;
};

type Queue = Pick<GuardedQueue, "gate" | "queueId"> & { readonly settings?: Pick<GuardedQueue["settings"], "sameSite"> };

/**
 * Nothing is set on the answer to a request that came without the cookies that its visitor may have: a page of another site could replace
 * a place or a pass with it.
 */
export function createVisitorCookies(visit: Visit, { gate, queueId, settings }: Queue): VisitorCookies {
  const { target, headers } = visit;
  const secure = target.protocol === "https";
  const sameSite = settings?.sameSite ?? "lax";
  const isMute = comesWithoutCookies(sentBy(visit, sameSite));
  const values = new Map<VisitorTokenKind | "other", string>();
  const isSent = (kind: VisitorTokenKind) => headers.get("cookie")?.includes(`sluice-${kind}-${queueId}=`) ?? false;
  const lifetimeSeconds = (endsAtMs: number) => (endsAtMs - gate.clock.nowMs()) / 1000;

  function clear(kind: VisitorTokenKind, { always } = { always: false }): void {
    if (always || isSent(kind)) values.set(kind, clearedTokenCookie({ kind, queueId, secure, sameSite }));
  }

  function addTo(answerHeaders: Headers): void {
    if (values.size === 0 || isMute) return;
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
      values.set("ticket", tokenCookie({ kind: "ticket", queueId, secure, sameSite, token, lifetimeSeconds: lifetime }));
    },
    setPass({ token, expiresAtMs }) {
      values.set("pass", tokenCookie({ kind: "pass", queueId, secure, sameSite, token, lifetimeSeconds: lifetimeSeconds(expiresAtMs) }));
      clear("ticket");
    },
    putOn(response) {
      if (values.size === 0 || isMute) return response;
      const answer = writable(response);
      addTo(answer.headers);
      return answer;
    },
  };
}

const SHARED = /^(?:public|s-maxage=.*|proxy-revalidate)$/i;
const PRIVATE = /\b(?:private|no-store)\b/i;

/** An answer with one visitor's pass on it must never be handed to another by a cache on the way. */
function keepFromSharedCaches(headers: Headers): void {
  const sent = headers.get("cache-control") ?? "";
  if (PRIVATE.test(sent)) return;
  const kept = sent
    .split(",")
    .map((directive) => directive.trim())
    .filter((directive) => directive !== "" && !SHARED.test(directive));
  headers.set("cache-control", ["private", ...kept].join(", "));
}
