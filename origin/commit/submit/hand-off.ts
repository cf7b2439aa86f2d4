import type { CommandBody } from "../../engine/command.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { commandIdOf } from "../../journal/command-text.ts";
import { ANSWER_MS_MAX, type RefusalCode, type Submitted } from "./commands.ts";

/**
 * Commands of this process wait here for the leading engine in the same process: in memory, because only the journal
 * entry makes a command durable. A command is *queued* (nothing was written: it can be refused with certainty), then
 * *in a commit* (its id is known), then answered. When the lead ends, the queue stays for the next one, or goes to the
 * stream if another process leads; commands in a commit wait until the journal shows whether it was made
 * (`origin/commit/settle-commits.ts`). No caller waits longer than `ANSWER_MS_MAX`.
 */
export type HandOff = {
  /** Unique to this process and start. */
  readonly node: string;
  /** Whether an engine takes commands from here. */
  readonly isOpen: () => boolean;
  readonly offer: (offered: OfferedCommand) => void;

  /** For the engine: it leads, and is called when commands arrive. */
  readonly open: (onOffer: () => void) => void;
  readonly close: () => void;
  /** The next one whose caller still waits. */
  readonly shift: () => LocalCommand | undefined;
  readonly isEmpty: () => boolean;
  readonly size: () => number;
  /** Returns commands that were not committed to the head of the queue, in their order. */
  readonly putBack: (commands: readonly LocalCommand[]) => void;
  /** Their outcome is unknown from here on, until `settle`. */
  readonly begin: (commit: LocalCommit) => void;
  /**
   * The journal holds these commands with these outcomes, or (undefined) it never will: then they are queued again, the
   * first ones first.
   */
  readonly settle: (commit: LocalCommit, outcomes: readonly Outcome[] | undefined) => void;
  /** The outcome stays unknown. */
  readonly giveUp: (commit: LocalCommit) => void;
  /** Commits that were not settled and whose callers wait, the oldest first. */
  readonly unsettled: () => readonly LocalCommit[];
  /** Takes all queued commands, to append them to the stream instead. */
  readonly takeAll: () => readonly LocalCommand[];
};

export type OfferedCommand = {
  readonly body: CommandBody;
  readonly at: number;
  readonly settle: (answer: Submitted) => void;
};

export type LocalCommand = OfferedCommand & {
  /** The process's own number for it. */
  readonly number: number;
  /** Empty while it is queued. */
  commandId: string;
  /** Or the stream's way answers it. */
  isAnswered: boolean;
  readonly turn: Turn;
};

/** Commands that go into one journal entry. */
export type LocalCommit = {
  readonly epoch: number;
  readonly sequence: number;
  readonly commands: readonly LocalCommand[];
};

/** The commands of one turn of the event loop share one deadline and one timer. */
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

  /** A queued command leaves the queue with that: it was certainly not executed. */
  function expire({ commands }: Turn): void {
    const code: RefusalCode = onOffer === undefined ? "engine_unavailable" : "venue_busy";
    for (const command of commands) {
      answer(
        command,
        command.commandId === "" ? { kind: "refused", code } : { kind: "unknown", commandId: command.commandId },
      );
    }
  }

  /** Commands that were refused at their deadline. */
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
      for (const command of commit.commands)
        command.commandId = commandIdOf({ epoch, sequence, node, number: command.number });
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

/**
 * A first-in, first-out queue that does not move the rest for each item that leaves. Its memory is at most twice its
 * contents, plus a constant.
 */
export type Fifo<Item> = {
  readonly push: (item: Item) => void;
  readonly shift: () => Item | undefined;
  readonly first: () => Item | undefined;
  readonly size: () => number;
  readonly all: () => readonly Item[];
  /** Before all others, in their order. */
  readonly putBack: (items: readonly Item[]) => void;
  readonly takeAll: () => readonly Item[];
};

const WASTE_MAX = 1_024;

export function createFifo<Item>(): Fifo<Item> {
  let items: Item[] = [];
  let head = 0;

  return {
    push: (item) => void items.push(item),
    shift() {
      if (head === items.length) return undefined;
      const item = items[head];
      head++;
      if (head === items.length) {
        items = [];
        head = 0;
      } else if (head >= WASTE_MAX && head * 2 >= items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    first: () => items[head],
    size: () => items.length - head,
    all: () => items.slice(head),
    putBack(back) {
      items = [...back, ...items.slice(head)];
      head = 0;
    },
    takeAll() {
      const all = items.slice(head);
      items = [];
      head = 0;
      return all;
    },
  };
}
