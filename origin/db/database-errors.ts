import { DatabaseUnavailable, UniqueViolation } from "./database.ts";

const SQLSTATE = /^[0-9A-Z]{5}$/;
const UNIQUE_VIOLATION = "23505";
/** Connection failure, insufficient resources, operator intervention (shutdown, cancelled statement), system error. */
const UNAVAILABLE_CLASSES: ReadonlySet<string> = new Set(["08", "53", "57", "58"]);

/**
 * Maps the failures of both drivers to ours. Anything that is neither an outage nor a unique violation is a bug and
 * stays unchanged.
 */
export async function mapErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw mapped(error);
  }
}

function mapped(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UniqueViolation || error instanceof DatabaseUnavailable)
    return error;
  const { code, constraint, constraint_name } = error as {
    code?: unknown;
    constraint?: unknown;
    constraint_name?: unknown;
  };
  // Errors of PostgreSQL carry an SQLSTATE; the codes of a socket or a driver are words.
  const state = typeof code === "string" && SQLSTATE.test(code) ? code : undefined;
  if (state === UNIQUE_VIOLATION) return new UniqueViolation(String(constraint_name ?? constraint), error);
  const isUnavailable = state === undefined ? typeof code === "string" : UNAVAILABLE_CLASSES.has(state.slice(0, 2));
  return isUnavailable ? new DatabaseUnavailable("the database is unavailable", { cause: error }) : error;
}

/** Rejects with `DatabaseUnavailable` after this time and ignores the later result of the work. */
export async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailable(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // The caller has stopped waiting; a late rejection must not end the process.
    work.catch(() => {});
  }
}
