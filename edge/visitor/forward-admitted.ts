import { PASS_HEADER } from "../../shared/admission.ts";
import { noteActivity, renewedPass } from "../gate/activity.ts";
import { type Command, obey, readCommand } from "../gate/command.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import type { HeldPass } from "../gate/presented.ts";
import { watchSession } from "../gate/watch-session.ts";
import { isSocket, type Platform } from "../platform.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { clearedLeavingCookie, isLeaving } from "./leaving-cookie.ts";
import { createVisitorCookies, type VisitorCookies } from "./visitor-cookies.ts";

/**
 * Forwards a visitor who is in. The store is asked nothing on the way there: the session is noted while the application works on its
 * answer, renewed or ended as the application says, and a socket is watched for as long as it is open.
 * `cookies` come with a pass that was signed for this very request: they are the caller's to put on the answer, and the pass does not
 * count as presented before its visitor comes back with it.
 */
export async function forwardAdmitted(
  { visit, platform }: Forwarding,
  queue: GuardedQueue,
  held: HeldPass,
  cookies?: VisitorCookies,
): Promise<Response> {
  visit.headers.set(PASS_HEADER, held.token);
  let command: Command | undefined;
  const { targetUrl } = queue.settings;
  const hear = (headers: Headers) => {
    command = readCommand(headers);
  };
  const forwarding = platform.forward(visit, { hear, targetUrl });
  const isBack = isLeaving(visit, queue.queueId);
  const noted = cookies === undefined ? noteActivity(queue, held.pass, { isDue: isBack }) : undefined;
  const response = await forwarding;
  if (command !== undefined) obey(queue, held.pass, command);
  const answer = isSocket(response) ? platform.watchSocket(response, { check: watchSession(queue, held.pass) }) : response;
  const isEnded = command === "complete" || command === "revoke";
  const renewed = isEnded ? undefined : await renewedPass(queue, held.pass, { noted });
  // Nearly every answer passes as it came: there is nothing to say, so nothing is prepared for saying it.
  if (!isEnded && renewed === undefined && !isBack) return answer;
  const own = cookies ?? createVisitorCookies(visit, queue);
  if (isBack) own.add(clearedLeavingCookie(visit, queue.queueId));
  if (renewed !== undefined) own.setPass(renewed);
  if (isEnded) own.clear("pass", { always: true });
  return cookies === undefined ? own.putOn(answer) : answer;
}

type Forwarding = { readonly visit: Visit; readonly platform: Platform };
