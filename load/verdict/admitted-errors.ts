import { errorCatalogue } from "../../shared/errors.ts";
import { NO_ANSWER } from "../record/recorder.ts";
import { type RunRecord, VISITOR_ENDS } from "../record/run-record.ts";

export type AdmittedErrors = {
  readonly count: number;
  /** Requests of people inside. */
  readonly of: number;
  /** For people: which errors, how often. */
  readonly what: string;
};

/** What only somebody with a pass asks for. */
const ADMITTED_KINDS = ["request", "complete", "order", "batch", "cancel"] as const;

/** A refusal that speaks of the request is an answer; no answer, a broken venue, or being sent back to the line is an error. */
export function countAdmittedErrors({ requests, visitors }: RunRecord): AdmittedErrors {
  const errors = new Map<string, number>();
  let of = 0;
  for (const kind of ADMITTED_KINDS) {
    for (const [answer, count] of Object.entries(requests[kind]?.answers ?? {})) {
      of += count;
      if (isError(answer)) errors.set(answer, (errors.get(answer) ?? 0) + count);
    }
  }
  const failed = visitors.end.filter((end, visitor) => VISITOR_ENDS[end] === "failed" && (visitors.admittedMs[visitor] ?? -1) >= 0).length;
  const answers = [...errors.values()].reduce((sum, count) => sum + count, 0);
  const what = [...errors].map(([answer, count]) => `${answer} × ${count}`);
  // A visit that failed usually did so by one of these answers: it is not counted again, but never goes unseen.
  return {
    count: Math.max(answers, failed),
    of: Math.max(of, failed),
    what: [...what, ...(failed > 0 ? [`${failed} visits failed`] : [])].join(", "),
  };
}

const SERVER_ERROR = 500;
const NOT_LET_IN = 401;

/** Our own connection was closed with a request on its way, so that we sent it twice: the first one was served. */
const SENT_TWICE = "request_replayed";

function isError(answer: string): boolean {
  if (answer === NO_ANSWER) return true;
  if (answer === SENT_TWICE) return false;
  const status = statusOf(answer);
  return status === undefined || status >= SERVER_ERROR || status === NOT_LET_IN;
}

/** Undefined for a code that nobody promised. */
function statusOf(answer: string): number | undefined {
  if (/^\d{3}$/.test(answer)) return Number(answer);
  return answer in errorCatalogue ? errorCatalogue[answer as keyof typeof errorCatalogue].status : undefined;
}
