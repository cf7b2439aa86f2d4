import type { ErrorCode, RefusalOptions } from "../../../shared/http/errors.ts";
import type { Result } from "../../../shared/result.ts";
import { refusalOf } from "../../commit/submit/refuse-reject.ts";
import type { Reader, Trader, TradingFailure, TradingFault } from "../../trading/trading-port.ts";
import type { Caller, Identity } from "../operation.ts";

/** Our own API over the trading port: requests become its readers and traders, its failures become our errors. */
export type KnownCaller = Caller & { readonly identity: Identity };

const SEQUENCE_HEADER = "venue-sequence";
const SEQUENCE = /^\d{1,15}$/;
const RETRY_AFTER_SECONDS = 1;

export function readerOf(caller: Caller): Reader {
  return { userId: caller.identity?.user.id, afterSequence: sequenceOf(caller) ?? 0 };
}

export function traderOf(caller: KnownCaller): Trader {
  const { identity } = caller;
  const afterSequence = sequenceOf(caller) ?? 0;
  return { userId: identity.user.id, afterSequence, nonce: "nonce" in identity ? identity.nonce : undefined };
}

/** Undefined when the header is malformed. */
function sequenceOf(caller: Caller): number | undefined {
  const text = caller.header(SEQUENCE_HEADER) ?? "0";
  return SEQUENCE.test(text) ? Number(text) : undefined;
}

export function sequenceHeader(sequence: number | undefined): Readonly<Record<string, string>> {
  return sequence === undefined ? {} : { [SEQUENCE_HEADER]: String(sequence) };
}

/** Answers a read, whose `venue-sequence` must be valid. */
export async function answerRead<Value>(
  caller: Caller,
  read: () => Promise<Result<Value, TradingFailure>>,
  bodyOf: (value: Value) => unknown = (value) => value,
): Promise<Response> {
  if (sequenceOf(caller) === undefined) {
    return caller.refuse("validation_failed", {
      errors: [{ field: SEQUENCE_HEADER, message: "must be a whole number" }],
    });
  }
  const result = await read();
  return result.ok ? caller.answer(200, bodyOf(result.value)) : refuse(caller, result.reason);
}

export function refuse(caller: Caller, failure: TradingFailure): Response {
  if (failure.kind === "unknown" && failure.commandId !== undefined) {
    const { commandId } = failure;
    return caller.answer(202, { commandId, state: "pending" }, { location: `/api/v1/commands/${commandId}` });
  }
  const [code, options] = problemOf(failure);
  return caller.refuse(code, {
    ...options,
    headers: sequenceHeader("sequence" in failure ? failure.sequence : undefined),
  });
}

/** The one place where failures of trading become errors of this API. */
export function problemOf(failure: TradingFailure): readonly [ErrorCode, RefusalOptions?] {
  switch (failure.kind) {
    case "invalid":
      return invalid(failure.faults);
    case "rejected":
      return refusalOf(failure.code);
    case "refused":
      return [failure.code, { retryAfterSeconds: RETRY_AFTER_SECONDS }];
    case "unknown":
      return ["store_unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS, detail: MAY_BE_EXECUTED }];
    case "behind":
      return ["venue_catching_up", { retryAfterSeconds: RETRY_AFTER_SECONDS }];
  }
}

/** A fault that the engine has a code for decides the code of the answer. */
function invalid(faults: readonly TradingFault[]): readonly [ErrorCode, RefusalOptions?] {
  const code = faults.find((fault) => fault.code !== undefined)?.code;
  const errors = faults.map(({ field, message }) => ({ field, message }));
  return code === undefined ? ["validation_failed", { errors }] : [refusalOf(code)[0], { errors }];
}

const MAY_BE_EXECUTED =
  "The request may still be executed. Send it again with the same clientOrderId, clientListId or reference, or check its effect first.";
