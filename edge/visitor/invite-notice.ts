import { serialize } from "hono/utils/cookie";
import type { QueueId } from "../../shared/queue-id.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { INVITE_FAULTS, type InviteFault } from "../room/invite-fault.ts";

/** Long enough to be read after the redirect, short enough not to be said again the next day. */
const NOTICE_SECONDS = 60;

/** What is wrong with an invite is found out on one page and told on the next one, whose URL is clean. */
export function noticeCookie({ target }: Visit, queueId: QueueId, fault: InviteFault): string {
  const secure = target.protocol === "https";
  return serialize(noticeName(queueId, secure), fault, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge: NOTICE_SECONDS });
}

/** Anybody can set a cookie of this name; it can only say what stands in the list. */
export function noticeFrom({ target, headers }: Visit, queueId: QueueId): InviteFault | undefined {
  const cookies = headers.get("cookie");
  const name = `${noticeName(queueId, target.protocol === "https")}=`;
  if (!cookies?.includes(name)) return undefined;
  const value = cookies
    .split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(name))
    ?.slice(name.length);
  return INVITE_FAULTS.find((fault) => fault === value);
}

function noticeName(queueId: QueueId, secure: boolean): string {
  return `${secure ? "__Host-" : ""}sluice-notice-${queueId}`;
}
