import type { Outcome } from "../engine/outcome.ts";
import type { AnswerGroup } from "./answers.ts";
import { commandIdOf } from "./command-id.ts";
import type { RefusalCode, Submitted } from "./commands.ts";

/** One command whose caller waits. */
export type Waiter = {
  /** When the caller began to wait, by the venue's clock. */
  readonly at: number;
  readonly settle: (answer: Submitted) => void;
};

/** The commands of one append and those of their callers who still wait. */
export type WaitingAppend = {
  readonly append: number;
  /** By index in the append; undefined once answered. */
  readonly waiters: (Waiter | undefined)[];
  openCount: number;
  /** Empty until Redis has told it. */
  entryId: string;
  timer: NodeJS.Timeout | undefined;
};

/** Everybody who waits in this process, by the process's own number for the append. */
export type WaitingAppends = {
  readonly add: (waiters: readonly Waiter[]) => WaitingAppend;
  /** From the engine: also for an append that Redis has not told us the id of. */
  readonly deliver: (group: AnswerGroup) => void;
  readonly settleCommitted: (append: WaitingAppend, index: number, found: { readonly sequence: number; readonly outcome: Outcome }) => void;
  readonly refuse: (append: WaitingAppend, code: RefusalCode) => void;
  readonly giveUp: (append: WaitingAppend) => void;
  readonly all: () => Iterable<WaitingAppend>;
};

export function createWaitingAppends(): WaitingAppends {
  const waiting = new Map<number, WaitingAppend>();
  let appends = 0;

  function settle(append: WaitingAppend, index: number, answer: Submitted): void {
    const waiter = append.waiters[index];
    if (waiter === undefined) return;
    append.waiters[index] = undefined;
    append.openCount--;
    if (append.openCount === 0) {
      clearTimeout(append.timer);
      waiting.delete(append.append);
    }
    waiter.settle(answer);
  }

  const idOf = (append: WaitingAppend, index: number) => (append.entryId === "" ? "" : commandIdOf({ entryId: append.entryId, index }));

  return {
    add(waiters) {
      appends++;
      const append = { append: appends, waiters: [...waiters], openCount: waiters.length, entryId: "", timer: undefined };
      waiting.set(appends, append);
      return append;
    },
    deliver({ append: number, entryId, firstIndex, sequence, outcomes }) {
      const append = waiting.get(number);
      if (append === undefined) return;
      append.entryId = entryId;
      for (const [place, outcome] of outcomes.entries()) {
        const index = firstIndex + place;
        settle(append, index, { kind: "committed", commandId: idOf(append, index), sequence, outcome });
      }
    },
    settleCommitted: (append, index, found) => settle(append, index, { kind: "committed", commandId: idOf(append, index), ...found }),
    refuse(append, code) {
      for (const index of append.waiters.keys()) settle(append, index, { kind: "refused", code });
    },
    giveUp(append) {
      for (const index of append.waiters.keys()) settle(append, index, { kind: "unknown", commandId: idOf(append, index) });
    },
    all: () => waiting.values(),
  };
}
