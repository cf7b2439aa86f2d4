import { DatabaseUnavailable, UniqueViolation } from "./database.ts";

const SQLSTATE = /^[0-9A-Z]{5}$/;
const UNIQUE_VIOLATION = "23505";
/** Connection lost, no resources, operator's intervention (a shutdown, a cancelled statement), trouble of its system. */
const CLASSES_OF_ABSENCE: ReadonlySet<string> = new Set(["08", "53", "57", "58"]);

/** Both drivers' failures in our words. What is neither absence nor a taken name is a bug of ours and stays as it is. */
export async function inOurWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translated(error);
  }
}

function translated(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UniqueViolation || error instanceof DatabaseUnavailable) return error;
  const { code, constraint, constraint_name } = error as { code?: unknown; constraint?: unknown; constraint_name?: unknown };
  // What speaks in SQLSTATE comes from PostgreSQL itself; a socket's or the driver's own codes are words.
  const state = typeof code === "string" && SQLSTATE.test(code) ? code : undefined;
  if (state === UNIQUE_VIOLATION) return new UniqueViolation(String(constraint_name ?? constraint), error);
  const isAbsence = state === undefined ? typeof code === "string" : CLASSES_OF_ABSENCE.has(state.slice(0, 2));
  return isAbsence ? new DatabaseUnavailable("the database does not answer", { cause: error }) : error;
}

/** Rejects with `DatabaseUnavailable` after this time; whatever the work does later is nobody's business any more. */
export async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailable(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // Nobody waits for it after the deadline, and its failure must not end the process.
    work.catch(() => {});
  }
}
