import { type ErrorCode, errorCatalogue, problemResponse } from "../../shared/errors.ts";
import { log } from "../log.ts";
import type { Visit } from "./read-visit.ts";

/** An origin that is down is seldom back sooner, and the whole crowd asking at once would not help it. */
const RETRY_AFTER_SECONDS = 5;

/** The answer to a request that the origin did not answer, and a line in the log that says why. */
export function originFailure({ requestId, target }: Visit, code: ErrorCode, error?: unknown): Response {
  log("warn", "a request was not answered by the origin", { requestId, code, path: target.path, error });
  return problemResponse(code, { requestId, ...(errorCatalogue[code].retry === "later" && { retryAfterSeconds: RETRY_AFTER_SECONDS }) });
}
