import { systemClock } from "../../../shared/clock.ts";
import { isSameText } from "../../../shared/tokens/same-bytes.ts";
import type { Visit } from "../../request/read-visit.ts";
import { CONSOLE_KEY_HEADER } from "./console-key-header.ts";
import { type ConsoleSession, cookieValueOf, readSession } from "./console-session.ts";

/** none: no session, or one that is over. foreign: a session, but the call was not made by the console. */
export type ConsoleCall =
  | { readonly kind: "none" | "foreign" }
  | { readonly kind: "genuine"; readonly session: ConsoleSession };

/**
 * Whether a call to the operator API comes from a console that is signed in. The key must be shown with every call, so
 * that no other page can make one, of whatever site; a call that changes something must also say that it comes from
 * this site.
 */
export async function judgeConsoleCall(visit: Visit): Promise<ConsoleCall> {
  const session = await sessionOf(visit);
  if (session === undefined) return { kind: "none" };
  return (await isGenuine(visit, session)) ? { kind: "genuine", session } : { kind: "foreign" };
}

async function isGenuine(visit: Visit, session: ConsoleSession): Promise<boolean> {
  const shown = visit.request.headers.get(CONSOLE_KEY_HEADER);
  if (shown === null) return isPreviewFrame(visit);
  return (await isSameText(shown, session.key)) && (isReading(visit) || comesFromThisSite(visit));
}

async function sessionOf({ request, configuration, target }: Visit): Promise<ConsoleSession | undefined> {
  const value = cookieValueOf(request.headers.get("cookie"), { secure: target.protocol === "https" });
  return value === undefined ? undefined : readSession(configuration, value, systemClock.nowMs());
}

/**
 * The session of an operator whose browser asks for a page as a page. A script of the application may ask for the same
 * address with the same cookie, but not under that heading: `Sec-Fetch-*` are the browser's own to set.
 */
export async function sessionOfPage(visit: Visit): Promise<ConsoleSession | undefined> {
  const { headers } = visit.request;
  const isPage = headers.get("sec-fetch-dest") === "document" && headers.get("sec-fetch-mode") === "navigate";
  return isPage ? sessionOf(visit) : undefined;
}

/**
 * Browsers send `Origin` with every call that is not a plain read. Scheme aside: what ends TLS before us knows it
 * better.
 */
export function comesFromThisSite({ request, target }: Visit): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || !URL.canParse(origin) || new URL(origin).host !== target.host) return false;
  return ["same-origin", null].includes(request.headers.get("sec-fetch-site"));
}

const PREVIEW = /^\/_sluice\/admin\/queues\/[a-z0-9-]+\/preview$/;

/** A frame cannot present a key. Without one it may only load the page that visitors see anyway. */
function isPreviewFrame(visit: Visit): boolean {
  return (
    isReading(visit) && PREVIEW.test(visit.target.path) && visit.request.headers.get("sec-fetch-dest") === "iframe"
  );
}

function isReading({ method }: Visit): boolean {
  return method === "GET" || method === "HEAD";
}
