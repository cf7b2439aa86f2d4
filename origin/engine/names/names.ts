import type { ReferenceRow } from "./changes.ts";
import type { Command } from "./command.ts";
import { addHash, formatHash, type Hash, hashText } from "./hash.ts";
import { type NameCount, takeCount } from "./name-counts.ts";
import { type CommandName, evict, isComplete, isRemembered, isUnanswered, NOT_KNOWN_YET, takeAnswer } from "./references.ts";
import type { EngineState } from "./state.ts";
import { userNamed } from "./users.ts";

/**
 * The engine's memory of names as its surroundings see it. Whoever applies commands asks the store first about every name that is `unanswered`,
 * and lets names leave memory only once the store has them; the engine insists on both.
 */
export type Names = {
  /** The name that has to be asked for before the command may be applied. */
  readonly unanswered: (command: NamingCommand, at: number) => CommandName | undefined;
  /** Whether memory reaches back a day, so that nothing has to be asked for. */
  readonly areComplete: () => boolean;
  /** What the store knows of these names; those without a row it does not know. */
  readonly answer: (names: readonly CommandName[], rows: readonly ReferenceRow[]) => void;
  /** Lets go of all answers if there are more than that: those that are still needed are asked for again. */
  readonly dropAnswersOver: (max: number) => void;
  /** The engine's time; how many names have come into memory, how many of them were evicted, and how many there are now. */
  readonly figures: () => NameFigures;
  /** The oldest leave memory, down to `keep`, as far as they were among the first `upTo` to come. */
  readonly evict: (which: { readonly upTo: number; readonly keep: number }) => void;
  /** Of an engine that starts from a store: how many names each user has given, and that all names before this time are in the store. */
  readonly load: (loaded: { readonly counts: readonly NameCount[]; readonly completeFrom: number }) => void;
  /** Of what is in memory: the same for two engines that have evicted nothing and are in the same state. */
  readonly hash: () => string;
};

type WithoutHead<Whole> = Whole extends unknown ? Omit<Whole, "id" | "at"> : never;

/** A command may not have its id yet. */
export type NamingCommand = WithoutHead<Command>;

export type NameFigures = { readonly at: number; readonly taken: number; readonly evicted: number; readonly held: number };

export function namesOf(state: EngineState): Names {
  const { references } = state;
  return {
    unanswered(command, at) {
      const name = nameOfCommand(command);
      if (name === undefined) return undefined;
      const user = state.users.byName.get(name.user);
      return isUnanswered(references, { name, user, at: Math.max(state.at, at) }) ? name : undefined;
    },
    areComplete: () => isComplete(references, state.at),
    answer(names, rows) {
      for (const name of names) takeAnswer(references, name, undefined);
      for (const { kind, user: userName, reference: name, digest, orderId, at } of rows) {
        const user = userNamed(state.users, userName);
        takeAnswer(references, { kind, user: userName, name }, { kind, user, name, digest, orderId, at, isHeld: false });
      }
    },
    dropAnswersOver(max) {
      if (references.answers.size > max) references.answers.clear();
    },
    figures: () => ({
      at: state.at,
      taken: references.taken,
      evicted: references.evicted,
      held: references.queue.length - references.swept,
    }),
    evict: (which) => evict(references, which, state.index),
    load({ counts, completeFrom }) {
      references.completeFrom = completeFrom;
      references.filteredFrom = completeFrom;
      for (const count of counts) if (count.hour >= references.firstHour) takeCount(userNamed(state.users, count.user), count);
    },
    hash: () => hashOfNames(state),
  };
}

/** A user who is not known yet may be so by the time the command is applied: the name is asked for all the same. */
function nameOfCommand(command: NamingCommand): CommandName | undefined {
  switch (command.kind) {
    case "place":
    case "cancel":
      return command.clientOrderId === "" ? undefined : { kind: "order", user: command.user, name: command.clientOrderId };
    case "deposit":
      return named({ kind: "deposit", user: command.user, name: command.reference });
    case "withdraw":
      return named({ kind: "withdrawal", user: command.user, name: command.reference });
    case "transfer":
      return named({ kind: "transfer", user: command.from, name: command.reference });
    default:
      return undefined;
  }
}

const named = (name: CommandName) => (name.name === "" ? undefined : name);

function hashOfNames({ users, at }: EngineState): string {
  const sum: Hash = { low: 0, high: 0 };
  for (const user of users.all) {
    for (const reference of [...user.orderNames.values(), ...user.movementNames.values()]) {
      const { kind, name, digest, orderId } = reference;
      const isKnown = digest !== NOT_KNOWN_YET && isRemembered(reference, at);
      if (isKnown) addHash(sum, hashText([kind, user.name, name, digest, orderId, reference.at].join("\n")));
    }
  }
  return formatHash(sum);
}
