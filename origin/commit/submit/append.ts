import type { Redis } from "ioredis";
import { z } from "zod";
import { defineScript, type ScriptRunner } from "../../../shared/store/define-script.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { commandIdOf } from "../../journal/command-text.ts";
import { COMMANDS_KEY, FENCE_KEY } from "../../journal/keys.ts";
import type { AnswerGroup } from "./answers.ts";
import source from "./append.lua";
import type { RefusalCode, Submitted } from "./commands.ts";

/**
 * Entries that may wait in the stream, those not yet trimmed included. At one per turn of the event loop, this is some
 * seconds of a busy venue: a command that would time out is refused instead.
 */
const STREAM_LENGTH_MAX = 10_000;
/** A standby takes over within three seconds: until then commands may queue. */
const ABSENCE_MS_MAX = 3_000;

const appendScript = defineScript({
  name: "append",
  source,
  keys: ["commands", "fence"],
  args: { lengthMax: z.int(), graceMs: z.int(), node: z.string(), append: z.int(), commands: z.string() },
  reply: z.string(),
});

type Append = { readonly node: string; readonly append: number; readonly commands: string };

/** The entry's id, or why nothing was written. */
export function appendCommands(runner: ScriptRunner, append: Append): Promise<string> {
  return appendScript.run(runner, {
    keys: { commands: COMMANDS_KEY, fence: FENCE_KEY },
    args: { lengthMax: STREAM_LENGTH_MAX, graceMs: ABSENCE_MS_MAX, ...append },
  });
}

/** Only the newest entries: the append was made within the last seconds. */
const LOOK_BACK_ENTRIES = 1_000;

/** The id of an append whose reply was lost, if it was written. */
export async function findAppend(
  redis: Redis,
  wanted: { readonly node: string; readonly append: number },
): Promise<string | undefined> {
  const entries = await redis.xrevrange(COMMANDS_KEY, "+", "-", "COUNT", LOOK_BACK_ENTRIES);
  const found = entries.find(([, [, node, , append]]) => node === wanted.node && Number(append) === wanted.append);
  return found?.[0];
}

/** One command whose caller waits. */
export type Waiter = {
  /** When the caller began to wait, by the venue's clock. */
  readonly at: number;
  readonly settle: (answer: Submitted) => void;
};

/** The commands of one append and the callers that still wait. */
export type WaitingAppend = {
  readonly append: number;
  /** By index in the append; undefined once answered. */
  readonly waiters: (Waiter | undefined)[];
  openCount: number;
  /** Empty until Redis has answered. */
  entryId: string;
  timer: NodeJS.Timeout | undefined;
};

/** All callers that wait in this process, by the process's own number for the append. */
export type WaitingAppends = {
  readonly add: (waiters: readonly Waiter[]) => WaitingAppend;
  /** From the engine: also for an append whose id is not known yet. */
  readonly deliver: (group: AnswerGroup) => void;
  readonly settleCommitted: (
    append: WaitingAppend,
    index: number,
    found: { readonly sequence: number; readonly outcome: Outcome },
  ) => void;
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

  const idOf = (append: WaitingAppend, index: number) =>
    append.entryId === "" ? "" : commandIdOf({ entryId: append.entryId, index });

  return {
    add(waiters) {
      appends++;
      const append = {
        append: appends,
        waiters: [...waiters],
        openCount: waiters.length,
        entryId: "",
        timer: undefined,
      };
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
    settleCommitted: (append, index, found) =>
      settle(append, index, { kind: "committed", commandId: idOf(append, index), ...found }),
    refuse(append, code) {
      for (const index of append.waiters.keys()) settle(append, index, { kind: "refused", code });
    },
    giveUp(append) {
      for (const index of append.waiters.keys())
        settle(append, index, { kind: "unknown", commandId: idOf(append, index) });
    },
    all: () => waiting.values(),
  };
}
