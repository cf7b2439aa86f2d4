import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../../shared/errors.ts";
import type { GuardedQueue } from "../gate/open-gate.ts";
import type { Visit } from "../proxy/read-visit.ts";
import { sameSitePath } from "../room/same-site-path.ts";
import { refusalResponse } from "./refusal.ts";
import { createVisitorCookies } from "./visitor-cookies.ts";

const HTML = /^text\/html\b/;

/** On these the page on which the button was pressed knows what to do: it asks for the work, or begins without the tokens. */
const GOES_BACK: ReadonlySet<ErrorCode> = new Set(["proof_required", "proof_refused", "token_invalid"]);

const problemSchema = z
  .object({ code: z.string() })
  .transform(({ code }) => (code in errorCatalogue ? (code as ErrorCode) : "internal_error"));

/**
 * The answer of `enter` to the button on our page: back to the page on which it was pressed, with the new ticket or pass in the cookies.
 * What is a page already stays one, and a refusal becomes one.
 */
export async function enterPage(visit: Visit, queue: GuardedQueue, answer: Response): Promise<Response> {
  if (HTML.test(answer.headers.get("content-type") ?? "")) return answer;
  const code = answer.ok ? undefined : problemSchema.catch("internal_error").parse(await answer.json());
  if (code !== undefined && !GOES_BACK.has(code)) return refusalResponse({ code, wants: "form", visit, queue });
  const location = sameSitePath(visit.request.headers.get("referer"), visit.target.host) ?? "/";
  const response = new Response(null, { status: 303, headers: { location, "cache-control": "no-store", "x-request-id": visit.requestId } });
  for (const cookie of answer.headers.getSetCookie()) response.headers.append("set-cookie", cookie);
  if (code === undefined) return response;
  // The visitor wants to join again: what is left of the session that was ended would speak against it.
  const cookies = createVisitorCookies(visit, queue);
  cookies.clear("pass");
  cookies.clear("ticket");
  return cookies.putOn(response);
}
