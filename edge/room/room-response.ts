import { serialize } from "hono/utils/cookie";
import { systemClock } from "../../shared/clock.ts";
import { newId, systemRandom } from "../../shared/ids.ts";
import { type ChosenLanguage, chooseLanguage } from "../line/page/language.ts";
import { textResponse } from "../request/compression.ts";
import type { Visit } from "../request/read-visit.ts";
import type { InviteFault } from "./invite-fault.ts";
import { memoryCookieName, type NextStep } from "./page-facts.ts";
import { type RoomQueue, renderRoom } from "./room.ts";
import { type PlaceMemory, type RoomState, readMemory, writeMemory } from "./room-state.ts";
import { sameSitePath } from "./same-site-path.ts";

type Shown = {
  readonly visit: Visit;
  readonly state: RoomState;
  readonly queue: RoomQueue | undefined;
  readonly status: number;
  readonly ticketId?: string;
  readonly next: NextStep;
  /** Where its button leads, if not to the page that was asked for. */
  readonly leadsTo?: string;
  /** The page answers a form that was sent to a protected URL. */
  readonly isFormRefused?: boolean;
  readonly inviteFault?: InviteFault | undefined;
  /** The store's time where it is known: a countdown ends when the line begins to move. */
  readonly nowMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A page for a visitor, in their language, as the answer to their request. */
export function roomResponse({ visit, status, nowMs, leadsTo, headers = {}, ...told }: Shown): Response {
  const { request, requestId, target } = visit;
  const { queue } = told;
  const language = chooseLanguage(request.headers.get("accept-language"), queue?.settings.language ?? "en");
  const mayReload = request.method === "GET" || request.method === "HEAD";
  const returnTo = leadsTo ?? (mayReload ? `${target.path}${target.query}` : afterSending(visit));
  const nonce = newId(systemRandom);
  const at = { nowMs: nowMs ?? systemClock.nowMs() };
  const page = { ...told, language, siteName: target.host, returnTo, mayReload, nonce, requestId, ...at };
  const body = request.method === "HEAD" ? "" : renderRoom(page);
  return textResponse(request, body, {
    status,
    headers: { ...pageHeaders({ nonce, language }), "x-request-id": requestId, ...headers },
  });
}

/** Where a form was sent to may not be a page at all; where it was filled in is one. */
function afterSending({ request, target }: Visit): string {
  const cameFrom = sameSitePath(request.headers.get("referer"), target.host);
  return cameFrom ?? (target.path.startsWith("/_sluice/") ? "/" : `${target.path}${target.query}`);
}

type Page = {
  readonly nonce: string;
  readonly language: ChosenLanguage;
  /** Pages of this site may show it in a frame, as the console does with a preview. */
  readonly mayBeFramed?: boolean;
};

/** Nothing is loaded, only our own script runs, no other site may frame it, and no cache keeps a visitor's page. */
export function pageHeaders({ nonce, language, mayBeFramed = false }: Page): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src data:",
    "connect-src 'self'",
    "worker-src blob:",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${mayBeFramed ? "'self'" : "'none'"}`,
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-language": language.language,
    "cache-control": "no-store",
    "content-security-policy": policy.join("; "),
    // A form on this page tells only us which page it was.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    vary: "accept, accept-encoding, accept-language, cookie",
  };
}

/** The place that this visitor's browser showed last. */
export function shownBefore({ headers }: Visit, queueId: string): PlaceMemory | undefined {
  const name = `${memoryCookieName(queueId)}=`;
  const pair = (headers.get("cookie") ?? "").split(";").find((text) => text.trim().startsWith(name));
  return readMemory(pair?.trim().slice(name.length));
}

/** Scripts may read and write it: it holds what stands on the page anyway, and decides nothing. */
export function shownCookie({ target }: Visit, { queueId, settings }: RoomQueue, memory: PlaceMemory): string {
  return serialize(memoryCookieName(queueId), writeMemory(memory), {
    path: "/",
    sameSite: "Lax",
    secure: target.protocol === "https",
    maxAge: settings.heartbeatTtlSeconds + settings.returnGraceSeconds,
  });
}
