import { serialize } from "hono/utils/cookie";
import { LEAVING_SECONDS } from "../gate/leaving.ts";
import type { Visit } from "../proxy/read-visit.ts";

/**
 * Comes back with the next request of a visitor one of whose pages was closed, so that any edge knows without asking the store that the
 * session is about to end, and notes at once that it is in use. It decides nothing else.
 */
export function leavingCookie({ target }: Visit, queueId: string): string {
  return cookie(queueId, { secure: target.protocol === "https", maxAge: LEAVING_SECONDS });
}

export function clearedLeavingCookie({ target }: Visit, queueId: string): string {
  return cookie(queueId, { secure: target.protocol === "https", maxAge: 0 });
}

export function isLeaving({ headers }: Visit, queueId: string): boolean {
  return headers.get("cookie")?.includes(`sluice-leaving-${queueId}=1`) ?? false;
}

function cookie(queueId: string, { secure, maxAge }: { readonly secure: boolean; readonly maxAge: number }): string {
  const name = `${secure ? "__Host-" : ""}sluice-leaving-${queueId}`;
  return serialize(name, "1", { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge });
}
