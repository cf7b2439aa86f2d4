import { serialize } from "hono/utils/cookie";
import type { GuardedQueue } from "../gate/open-gate.ts";
import type { Visit } from "../proxy/read-visit.ts";

/**
 * A pass ends with its session's time, and a ban may last longer: until then the browser keeps which session it was, sealed, so that it
 * cannot be made up for another visitor. A visitor who deletes it, or takes another browser, is not recognised.
 */
export function banCookie({ target }: Visit, { queueId, gate }: GuardedQueue, banned: Banned): Promise<string> {
  const secure = target.protocol === "https";
  const name = banCookieName(queueId, secure);
  const maxAge = Math.ceil(banned.banLeftMs / 1000);
  return gate.sealedTexts
    .seal(banned.sessionId)
    .then((value) => serialize(name, value, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge }));
}

type Banned = { readonly sessionId: string; readonly banLeftMs: number };

/** The session that was banned, if the browser shows one. */
export async function bannedSession({ target, headers }: Visit, { queueId, gate }: GuardedQueue): Promise<string | undefined> {
  const cookies = headers.get("cookie");
  const name = `${banCookieName(queueId, target.protocol === "https")}=`;
  if (!cookies?.includes(name)) return undefined;
  const pair = cookies.split(";").find((text) => text.trim().startsWith(name));
  return pair === undefined ? undefined : gate.sealedTexts.open(pair.trim().slice(name.length));
}

export function clearedBanCookie({ target }: Visit, queueId: string): string {
  const secure = target.protocol === "https";
  return serialize(banCookieName(queueId, secure), "", { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge: 0 });
}

function banCookieName(queueId: string, secure: boolean): string {
  return `${secure ? "__Host-" : ""}sluice-ban-${queueId}`;
}
