import type { Logger } from "pino";
import { problemResponse } from "../../shared/http/errors.ts";
import { PasswordsBusy } from "../accounts/identity/passwords.ts";
import { DatabaseUnavailable } from "../db/database.ts";
import { isStoreUnavailable } from "../redis/store-unavailable.ts";

/** Logs a request that threw and makes its answer. */
export type FailureAnswer = (error: unknown, request: FailedRequest) => Response;

type FailedRequest = { readonly method: string; readonly path: string; readonly requestId: string | undefined };

const RETRY_AFTER_SECONDS = 2;

export function createFailureAnswer(log: Logger): FailureAnswer {
  return (error, { method, path, requestId }) => {
    const absence = absenceOf(error);
    const facts = { err: error, method, path, requestId };
    if (absence === undefined) log.error(facts, "request failed");
    else log.warn(facts, "a request failed: a store is unavailable or busy");
    const options = requestId === undefined ? {} : { requestId };
    return absence === undefined
      ? problemResponse("internal_error", options)
      : problemResponse(absence, { ...options, retryAfterSeconds: RETRY_AFTER_SECONDS });
  };
}

function absenceOf(error: unknown) {
  if (error instanceof DatabaseUnavailable) return "database_unavailable";
  if (error instanceof PasswordsBusy) return "venue_busy";
  return isStoreUnavailable(error) ? "store_unavailable" : undefined;
}
