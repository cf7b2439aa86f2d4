import { type ErrorCode, errorCatalogue, problemResponse } from "../../shared/errors.ts";
import { tokenProblem } from "../../shared/token-problem.ts";
import type { Wants } from "../gate/decide.ts";
import type { Turn } from "../gate/turn.ts";
import { noticePage } from "./notice-page.ts";
import { PAGE_HEADERS } from "./page-headers.ts";

type Refusal = {
  readonly code: ErrorCode;
  readonly wants: Wants;
  readonly requestId: string;
  readonly turn?: Turn | undefined;
};

/** Long enough for a store to come back, short enough for a person to stay. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  address_limit: 30,
  queue_closed: 60,
  queue_full: 15,
  queue_maintenance: 60,
  queue_unavailable: 5,
  store_unavailable: 2,
};

/** A page for people, a problem for programs, with the same status and the same hint when to come back. */
export function refusalResponse({ code, wants, requestId, turn }: Refusal): Response | Promise<Response> {
  if (code === "token_invalid") return tokenProblem("missing", { requestId });
  const limit = turn?.state === "rate_limited" ? turn.verdict : undefined;
  const retryAfterSeconds = limit?.retryAfterSeconds ?? RETRY_AFTER_SECONDS[code];
  const headers = limit?.headers ?? {};
  if (wants !== "page") {
    return problemResponse(code, { requestId, headers, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
  }
  return page({ code, requestId, retryAfterSeconds, headers });
}

type Page = Pick<Refusal, "code" | "requestId"> & {
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

async function page({ code, requestId, retryAfterSeconds, headers }: Page): Promise<Response> {
  const { status, title } = errorCatalogue[code];
  const response = new Response(String(await noticePage({ title, retryAfterSeconds })), {
    status,
    headers: { ...PAGE_HEADERS, ...headers },
  });
  response.headers.set("x-request-id", requestId);
  if (retryAfterSeconds !== undefined) response.headers.set("retry-after", String(retryAfterSeconds));
  return response;
}
