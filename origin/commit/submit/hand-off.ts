import type { Outcome } from "../engine/outcome.ts";
import { commandIdOf } from "./command-id.ts";
import { ANSWER_MS_MAX, type CommandBody, type RefusalCode, type Submitted } from "./commands.ts";
import { createFifo } from "./fifo.ts";

/**
 * Where commands of this process wait for the engine in the same process while that one leads: in memory, because the journal entry is what makes
 * a command durable. A command is *queued* (nothing was written: it can be refused with certainty), then *in a commit* (its id is known), then answered.
 * When the lead ends, the queue stays for the next one, or goes to the stream if another process leads; what was in a commit waits
 * until the journal has told whether it was made (`origin/commit/settle-commits.ts`). No caller waits longer than `ANSWER_MS_MAX`.
 */
export type HandOff = {
  /** Unique to this process and start. */
  readonly node: string;
  /** Whether an engine takes commands from here. */
  readonly isOpen: () => boolean;
  readonly offer: (offered: OfferedCommand) => void;

  /** For the engine: it leads, and is called once there is something again. */
  readonly open: (onOffer: () => void) => void;
  readonly close: () => void;
  /** The next one whose caller still waits. */
  readonly shift: () => LocalCommand | undefined;
  readonly isEmpty: () => boolean;
  readonly size: () => number;
  /** They were taken and not committed: before all others, in their order. */
  readonly putBack: (commands: readonly LocalCommand[]) => void;
  /** From here on nobody knows what becomes of them, until `settle` says it. */
  readonly begin: (commit: LocalCommit) => void;
  /** The journal holds these commands with these outcomes, or (undefined) it never will: then they are queued again, the first ones first. */
  readonly settle: (commit: LocalCommit, outcomes: readonly Outcome[] | undefined) => void;
  /** Nobody can tell any more. */
  readonly giveUp: (commit: LocalCommit) => void;
  /** Commits that were not settled and whose callers wait, the oldest first. */
  readonly unsettled: () => readonly LocalCommit[];
  /** Takes out all that is queued, to be written to the stream instead. */
  readonly takeAll: () => readonly LocalCommand[];
};

export type OfferedCommand = { readonly body: CommandBody; readonly at: number; readonly settle: (answer: Submitted) => void };

export type LocalCommand = OfferedCommand & {
  /** The process's own number for it. */
  readonly number: number;
  /** Empty while it is queued. */
  commandId: string;
  /** Or somebody else is to answer it. */
  isAnswered: boolean;
  readonly turn: Turn;
};

/** Commands that go into one journal entry. */
export type LocalCommit = { readonly epoch: number; readonly sequence: number; readonly commands: readonly LocalCommand[] };

/** What came in during one turn of the event loop waits until one moment: one timer for all of it. */
type Turn = { readonly commands: LocalCommand[]; waitingCount: number; timer: NodeJS.Timeout | undefined };

export function createHandOff(node: string): HandOff {
  const queue = createFifo<LocalCommand>();
  let numbers = 0;
  let turn: Turn | undefined;
  let onOffer: (() => void) | undefined;
  const commits = new Set<LocalCommit>();

  function leave(command: LocalCommand): void {
    command.isAnswered = true;
    command.turn.waitingCount--;
    if (command.turn.waitingCount === 0) clearTimeout(command.turn.timer);
  }

  function answer(command: LocalCommand, told: Submitted): void {
    if (command.isAnswered) return;
    leave(command);
    command.settle(told);
  }

  function currentTurn(): Turn {
    if (turn !== undefined) return turn;
    const begun: Turn = { commands: [], waitingCount: 0, timer: undefined };
    begun.timer = setTimeout(() => expire(begun), ANSWER_MS_MAX);
    turn = begun;
    setImmediate(() => {
      turn = undefined;
      onOffer?.();
    });
    return begun;
  }

  /** One that is queued leaves the queue by that: it is certain that nothing was done. */
  function expire({ commands }: Turn): void {
    const code: RefusalCode = onOffer === undefined ? "engine_unavailable" : "venue_busy";
    for (const command of commands) {
      answer(command, command.commandId === "" ? { kind: "refused", code } : { kind: "unknown", commandId: command.commandId });
    }
  }

  /** Those that were refused when their time was over. */
  function skipAnswered(): void {
    while (queue.first()?.isAnswered === true) queue.shift();
  }

  function putBack(commands: readonly LocalCommand[]): void {
    for (const command of commands) command.commandId = "";
    queue.putBack(commands.filter(({ isAnswered }) => !isAnswered));
  }

  return {
    node,
    isOpen: () => onOffer !== undefined,
    offer({ body, at, settle }) {
      numbers++;
      const current = currentTurn();
      const command = { body, at, settle, number: numbers, commandId: "", isAnswered: false, turn: current };
      current.commands.push(command);
      current.waitingCount++;
      queue.push(command);
    },
    open(callBack) {
      onOffer = callBack;
    },
    close() {
      onOffer = undefined;
    },
    shift() {
      skipAnswered();
      return queue.shift();
    },
    isEmpty() {
      skipAnswered();
      return queue.size() === 0;
    },
    size: queue.size,
    putBack,
    begin(commit) {
      const { epoch, sequence } = commit;
      for (const command of commit.commands) command.commandId = commandIdOf({ epoch, sequence, node, number: command.number });
      commits.add(commit);
    },
    settle(commit, outcomes) {
      if (!commits.delete(commit)) return;
      if (outcomes === undefined) {
        putBack(commit.commands);
        return;
      }
      const { sequence } = commit;
      for (const [place, command] of commit.commands.entries()) {
        const outcome = outcomes[place];
        if (outcome === undefined) answer(command, { kind: "unknown", commandId: command.commandId });
        else answer(command, { kind: "committed", commandId: command.commandId, sequence, outcome });
      }
    },
    giveUp(commit) {
      commits.delete(commit);
      for (const command of commit.commands) answer(command, { kind: "unknown", commandId: command.commandId });
    },
    unsettled() {
      for (const commit of commits) if (commit.commands.every(({ isAnswered }) => isAnswered)) commits.delete(commit);
      return [...commits];
    },
    takeAll() {
      const all = queue.takeAll().filter(({ isAnswered }) => !isAnswered);
      for (const command of all) leave(command);
      return all;
    },
  };
}
