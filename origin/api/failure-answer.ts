import type { Logger } from "pino";
import { problemResponse } from "../shared/errors.ts";
import { DatabaseUnavailable } from "./db/database.ts";
import { PasswordsBusy } from "./identity/passwords.ts";
import { isStoreAbsence } from "./redis/store-absence.ts";

/** What a client is told when a request threw, and the line in the log about it. */
export type FailureAnswer = (error: unknown, request: FailedRequest) => Response;

type FailedRequest = { readonly method: string; readonly path: string; readonly requestId: string | undefined };

const RETRY_AFTER_SECONDS = 2;

export function createFailureAnswer(log: Logger): FailureAnswer {
  return (error, { method, path, requestId }) => {
    const absence = absenceOf(error);
    const facts = { err: error, method, path, requestId };
    if (absence === undefined) log.error(facts, "request failed");
    else log.warn(facts, "a request found a part away");
    const options = requestId === undefined ? {} : { requestId };
    return absence === undefined
      ? problemResponse("internal_error", options)
      : problemResponse(absence, { ...options, retryAfterSeconds: RETRY_AFTER_SECONDS });
  };
}

function absenceOf(error: unknown) {
  if (error instanceof DatabaseUnavailable) return "database_unavailable";
  if (error instanceof PasswordsBusy) return "venue_busy";
  return isStoreAbsence(error) ? "store_unavailable" : undefined;
}
