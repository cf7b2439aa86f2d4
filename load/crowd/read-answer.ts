import { z } from "zod";
import { bodyText, headerOf, headersOf, type RawAnswer } from "../http/response-reader.ts";
import { NO_ANSWER } from "../record/recorder.ts";

/** An answer as a visitor understands it, counted under `label`. */
export type Sight = { readonly label: string } & (
  | {
      readonly state: "waiting";
      readonly ticket: string;
      readonly position: number | null;
      readonly lane: number;
      readonly pollAfterMs: number;
    }
  | { readonly state: "early"; readonly pollAfterMs: number }
  | { readonly state: "admitted"; readonly pass: string }
  | { readonly state: "ended" }
  /** The application answered. */
  | { readonly state: "served" }
  | { readonly state: "refused"; readonly retryAfterMs: number | undefined; readonly isForGood: boolean }
);

const gateAnswer = z.discriminatedUnion("state", [
  z.object({
    state: z.literal("waiting"),
    ticket: z.string(),
    position: z.number().nullable(),
    lane: z.number(),
    pollAfterMs: z.number(),
  }),
  z.object({ state: z.literal("prequeue"), pollAfterMs: z.number() }),
  z.object({ state: z.literal("admitted"), pass: z.string() }),
  z.object({ state: z.literal("ended"), reason: z.string() }),
]);

/** Refusals after which a retry cannot help. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  "queue_full",
  "queue_closed",
  "event_over",
  "address_limit",
  "queue_not_found",
]);

/** `passCookie` is the name of the cookie that carries a pass. */
export function readAnswer(answer: RawAnswer | undefined, passCookie: string): Sight {
  if (answer === undefined) return { label: NO_ANSWER, state: "refused", retryAfterMs: undefined, isForGood: false };
  const label = String(answer.status);
  if (answer.status >= 400) return readRefusal(answer);
  const pass = cookieOf(answer, passCookie);
  const told = isJson(answer) ? gateAnswer.safeParse(jsonOf(answer)).data : undefined;
  if (told === undefined) return pass === undefined ? { label, state: "served" } : { label, state: "admitted", pass };
  switch (told.state) {
    case "waiting":
      return { label, ...told };
    case "prequeue":
      return { label, state: "early", pollAfterMs: told.pollAfterMs };
    case "admitted":
      return { label, state: "admitted", pass: told.pass };
    case "ended":
      return { label: `ended: ${told.reason}`, state: "ended" };
  }
}

function readRefusal(answer: RawAnswer): Sight {
  // A queue can have its own status for the waiting page.
  const told = isJson(answer) ? gateAnswer.safeParse(jsonOf(answer)).data : undefined;
  if (told?.state === "waiting") return { label: String(answer.status), ...told };
  const retryAfter = Number(headerOf(answer, "retry-after") ?? Number.NaN);
  const label = codeOf(answer);
  return {
    label,
    state: "refused",
    retryAfterMs: Number.isNaN(retryAfter) ? undefined : retryAfter * 1_000,
    isForGood: FINAL_CODES.has(label),
  };
}

const problem = z.object({ code: z.string() });

/** The code of a problem, or the status. */
export function codeOf(answer: RawAnswer): string {
  return (isJson(answer) ? problem.safeParse(jsonOf(answer)).data?.code : undefined) ?? String(answer.status);
}

export function cookieOf({ head }: RawAnswer, name: string): string | undefined {
  for (const line of headersOf(head, "set-cookie")) {
    if (!line.startsWith(`${name}=`)) continue;
    const end = line.indexOf(";");
    const value = line.slice(name.length + 1, end === -1 ? line.length : end);
    if (value !== "") return value;
  }
  return undefined;
}

function isJson(answer: RawAnswer): boolean {
  return headerOf(answer, "content-type")?.includes("json") === true;
}

function jsonOf(answer: RawAnswer): unknown {
  try {
    return JSON.parse(bodyText(answer));
  } catch {
    return undefined;
  }
}
