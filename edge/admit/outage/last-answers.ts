import type { Clock } from "../../../shared/clock.ts";
import type { WaitingAnswer } from "../../line/answer.ts";

/**
 * The last answer to each ticket, for a while. A poll that comes before half of its `pollAfterMs` is answered from
 * here, with the rest of that time: it makes no store call, and the place is as safe as before. It delays no admission,
 * because the visitor returns when the line expects the next poll anyway.
 */
export type LastAnswers = {
  readonly early: (ticketId: string) => WaitingAnswer | undefined;
  /** Whether this poll comes when it was asked for: such a one is not limited. */
  readonly isDue: (ticketId: string) => boolean;
  readonly remember: (ticketId: string, answer: WaitingAnswer) => void;
  readonly forget: (ticketId: string) => void;
};

const ANSWERS_MAX = 20_000;

export function createLastAnswers(clock: Clock): LastAnswers {
  const answers = new Map<string, { readonly answer: WaitingAnswer; readonly toldAtMs: number }>();
  const isEarly = (elapsedMs: number, { pollAfterMs }: WaitingAnswer) => elapsedMs >= 0 && elapsedMs < pollAfterMs / 2;
  return {
    isDue(ticketId) {
      const last = answers.get(ticketId);
      return last !== undefined && !isEarly(clock.nowMs() - last.toldAtMs, last.answer);
    },
    early(ticketId) {
      const last = answers.get(ticketId);
      if (last === undefined) return undefined;
      const elapsedMs = clock.nowMs() - last.toldAtMs;
      if (!isEarly(elapsedMs, last.answer)) return undefined;
      return { ...last.answer, pollAfterMs: last.answer.pollAfterMs - elapsedMs, hasMore: false };
    },
    remember(ticketId, answer) {
      answers.delete(ticketId);
      if (answers.size >= ANSWERS_MAX) {
        const oldest = answers.keys().next();
        if (!oldest.done) answers.delete(oldest.value);
      }
      answers.set(ticketId, { answer, toldAtMs: clock.nowMs() });
    },
    forget: (ticketId) => void answers.delete(ticketId),
  };
}
