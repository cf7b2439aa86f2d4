import { type ErrorCode, errorCatalogue, problemResponse } from "../../shared/http/errors.ts";
import { isPublicSite } from "../line/target-url.ts";
import { log } from "../request/log.ts";
import type { Visit } from "../request/read-visit.ts";

/**
 * Operators cannot set such an address now, but it may have been set before, or written directly. The addresses of a
 * name are checked at the connection.
 */
export function isForbiddenTarget({ configuration }: Visit, targetUrl: string): boolean {
  return !configuration.allowsPrivateTargets && !isPublicSite(targetUrl);
}

/** An origin that is down is seldom back sooner, and the whole crowd asking at once would not help it. */
const RETRY_AFTER_SECONDS = 5;

/** The answer to a request that the origin did not answer, and a line in the log that says why. */
export function originFailure({ requestId, target }: Visit, code: ErrorCode, error?: unknown): Response {
  log("warn", "a request was not answered by the origin", { requestId, code, path: target.path, error });
  return problemResponse(code, {
    requestId,
    ...(errorCatalogue[code].retry === "later" && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  });
}

/**
 * Measures how long the origin takes, and only that. It runs while the next step is the origin's: taking a piece of the
 * request's body, or sending response headers after the whole request. It is paused while the client is slow, so a long
 * upload is never cut, and an origin that stops reading still times out.
 */
export class OriginClock {
  readonly #limitMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expire: (value: "expired") => void = ignore;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** From now on the origin has the whole limit for its next step. */
  run(): void {
    this.pause();
    this.#timer = setTimeout(this.#expire, this.#limitMs, "expired");
  }

  pause(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  /** The origin's response, or `expired`. Call it before the clock runs. */
  answerOf<Answer>(asked: Promise<Answer>): Promise<Answer | "expired"> {
    return new Promise((resolve, reject) => {
      this.#expire = resolve;
      asked.then(resolve, reject);
    });
  }
}

function ignore(): void {}

/**
 * The headers of an origin's response that are not for the client: our own, which control the gate, hop-by-hop ones
 * that the runtime does not remove, and those that the origin names in Connection. Undefined when there are none, as
 * nearly always: then the response passes unchanged, which saves a copy.
 */
export function hiddenNames(headers: Headers): readonly string[] | undefined {
  let hidden: string[] | undefined;
  for (const name of [...headers.keys()]) {
    if (name === "connection") hidden = withNamedInConnection(hidden, headers);
    else if (name.startsWith(OURS) || HOP_BY_HOP.has(name)) hidden = [...(hidden ?? []), name];
  }
  return hidden;
}

/** For headers that can be written to: removes what is hidden, and names the request. */
export function finishResponseHeaders(headers: Headers, requestId: string): void {
  for (const name of hiddenNames(headers) ?? []) headers.delete(name);
  headers.set("x-request-id", requestId);
}

const OURS = "x-sluice-";

/** Of RFC 9110, 7.6.1, those that the runtime would pass on. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-connection",
]);

const NAMES_NOBODY: ReadonlySet<string> = new Set(["keep-alive", "close"]);
const HEADER_NAME = /^[!#$%&'*+\-.^`|~\w]+$/;

function withNamedInConnection(hidden: string[] | undefined, headers: Headers): string[] | undefined {
  const value = headers.get("connection") ?? "";
  if (NAMES_NOBODY.has(value)) return hidden;
  const names = value.split(",").map((name) => name.trim().toLowerCase());
  return [...(hidden ?? []), ...names.filter((name) => HEADER_NAME.test(name) && !DESCRIBES_BODY.has(name))];
}

/** An origin that names these by mistake would leave the client with a body it cannot read. */
const DESCRIBES_BODY: ReadonlySet<string> = new Set([
  "content-length",
  "content-encoding",
  "content-type",
  "set-cookie",
]);

/** On either runtime an answer that is a WebSocket carries it under this name. */
export function isSocket(response: Response): boolean {
  return Boolean((response as { readonly webSocket?: unknown }).webSocket);
}

/**
 * A response with writable headers. The origin's response in a worker has read-only headers, so it is copied, which is
 * expensive. Every other response is returned itself: a copy would lose how its body is sent.
 */
export function writable(response: Response): Response {
  try {
    // Changes nothing, but read-only headers throw.
    response.headers.delete(NO_HEADER);
    return response;
  } catch {
    return new Response(response.body, response);
  }
}

const NO_HEADER = "x-sluice-none";
