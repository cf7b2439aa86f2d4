import type { Pass } from "../../shared/admission.ts";
import { log } from "../log.ts";
import { type IssuedPass, issuePass } from "./issue.ts";
import { backgroundLineOf, type GuardedQueue } from "./open-gate.ts";

/**
 * Notes that an admitted session is in use, when that is due: see `Sessions`. The answer is never held up for it longer than
 * `renewedPass` waits. Undefined where nothing is due, as for nearly every request. Never rejects.
 */
export function noteActivity(queue: GuardedQueue, pass: Pass, options?: { readonly isDue?: boolean }): Promise<void> | undefined {
  const views = queue.sessions.use(pass, queue.settings, options);
  if (views === undefined) return undefined;
  const noted = touch(queue, pass, views);
  queue.later(noted);
  return noted;
}

async function touch(queue: GuardedQueue, { sessionId, unconfirmed }: Pass, views: number): Promise<void> {
  const isFirst = unconfirmed === true;
  try {
    const how = queue.settings.sessionRenewal ? "renew" : "note";
    queue.sessions.touched(sessionId, await backgroundLineOf(queue).touch({ sessionId, views, how, isFirst }));
  } catch (error) {
    log("warn", "a session's activity could not be noted", { queueId: queue.queueId, error });
  }
}

/** How long an answer that is ready waits for the store. A later answer brings the pass where that was too short. */
const NOTED_WITHIN_MS = 100;

/** The pass of a session whose slot lasts longer than this one says, if that is known now or in a moment. */
export async function renewedPass(
  queue: GuardedQueue,
  pass: Pass,
  { noted, withinMs = NOTED_WITHIN_MS }: { readonly noted?: Promise<void> | undefined; readonly withinMs?: number } = {},
): Promise<IssuedPass | undefined> {
  if (noted !== undefined) await settledWithin(noted, withinMs);
  const slotEndMs = queue.sessions.outlasts(pass, queue.settings);
  return slotEndMs === undefined ? undefined : issuePass(queue, { sessionId: pass.sessionId, slotEndMs });
}

function settledWithin(work: Promise<void>, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
