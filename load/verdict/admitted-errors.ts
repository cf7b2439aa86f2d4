import { errorCatalogue } from "../../shared/http/errors.ts";
import { NO_ANSWER } from "../record/recorder.ts";
import { type RunRecord, VISITOR_ENDS } from "../record/run-record.ts";

export type AdmittedErrors = {
  readonly count: number;
  /** Requests of admitted visitors. */
  readonly of: number;
  /** The errors and their counts, for the report. */
  readonly what: string;
};

/** Requests that need a pass. */
const ADMITTED_KINDS = ["request", "complete", "order", "batch", "cancel"] as const;

/** A refusal of the request itself is an answer; no answer, a 5xx, or being sent back to the line is an error. */
export function countAdmittedErrors({ requests, visitors }: RunRecord): AdmittedErrors {
  const errors = new Map<string, number>();
  let of = 0;
  for (const kind of ADMITTED_KINDS) {
    for (const [answer, count] of Object.entries(requests[kind]?.answers ?? {})) {
      of += count;
      if (isError(answer)) errors.set(answer, (errors.get(answer) ?? 0) + count);
    }
  }
  const failed = visitors.end.filter(
    (end, visitor) => VISITOR_ENDS[end] === "failed" && (visitors.admittedMs[visitor] ?? -1) >= 0,
  ).length;
  const answers = [...errors.values()].reduce((sum, count) => sum + count, 0);
  const what = [...errors].map(([answer, count]) => `${answer} × ${count}`);
  // A failed visit usually has one of these answers: it is not counted twice, but always reported.
  return {
    count: Math.max(answers, failed),
    of: Math.max(of, failed),
    what: [...what, ...(failed > 0 ? [`${failed} visits failed`] : [])].join(", "),
  };
}

const SERVER_ERROR = 500;
const NOT_LET_IN = 401;

/** The load generator sent a request twice because its connection was closed: the first one was served. */
const SENT_TWICE = "request_replayed";

function isError(answer: string): boolean {
  if (answer === NO_ANSWER) return true;
  if (answer === SENT_TWICE) return false;
  const status = statusOf(answer);
  return status === undefined || status >= SERVER_ERROR || status === NOT_LET_IN;
}

/** Undefined for a code outside the catalogue. */
function statusOf(answer: string): number | undefined {
  if (/^\d{3}$/.test(answer)) return Number(answer);
  return answer in errorCatalogue ? errorCatalogue[answer as keyof typeof errorCatalogue].status : undefined;
}
