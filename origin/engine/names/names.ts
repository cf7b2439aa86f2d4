import { userNamed } from "../accounts.ts";
import type { ReferenceRow } from "../changes.ts";
import type { CommandBody } from "../command.ts";
import { addHash, formatHash, type Hash, hashText } from "../hash.ts";
import type { EngineState } from "../state.ts";
import {
  type CommandName,
  evict,
  isComplete,
  isRemembered,
  isUnanswered,
  type NameCount,
  NOT_KNOWN_YET,
  takeAnswer,
  takeCount,
} from "./references.ts";

/**
 * The engine's memory of names, as the leader uses it. Before a command is applied, the leader asks the store about
 * every name that is `unanswered`; names leave memory only once the store has them. The engine asserts both.
 */
export type Names = {
  /** The names to fetch before the command may be applied. */
  readonly unanswered: (command: CommandBody, at: number) => readonly CommandName[];
  /** Whether memory reaches back a day, so that nothing has to be fetched. */
  readonly areComplete: () => boolean;
  /** The store's rows for these names; it does not know a name without a row. */
  readonly answer: (names: readonly CommandName[], rows: readonly ReferenceRow[]) => void;
  /** Drops all answers if there are more than that: the ones still needed are fetched again. */
  readonly dropAnswersOver: (max: number) => void;
  /**
   * The engine's time; how many names have come into memory, how many of them were evicted, and how many there are now.
   */
  readonly figures: () => NameFigures;
  /** Evicts the oldest, down to `keep`, as far as they are among the first `upTo` names taken. */
  readonly evict: (which: { readonly upTo: number; readonly keep: number }) => void;
  /**
   * For an engine that starts from a store: how many names each user has given; all names before this time are in the
   * store.
   */
  readonly load: (loaded: { readonly counts: readonly NameCount[]; readonly completeFrom: number }) => void;
  /** Of the names in memory: equal for two engines in the same state that have evicted nothing. */
  readonly hash: () => string;
};

export type NameFigures = {
  readonly at: number;
  readonly taken: number;
  readonly evicted: number;
  readonly held: number;
};

export function namesOf(state: EngineState): Names {
  const { references } = state;
  return {
    unanswered(command, at) {
      const time = Math.max(state.at, at);
      return namesOfCommand(command).filter((name) =>
        isUnanswered(references, { name, user: state.users.byName.get(name.user), at: time }),
      );
    },
    areComplete: () => isComplete(references, state.at),
    answer(names, rows) {
      for (const name of names) takeAnswer(references, name, undefined);
      for (const { kind, user: userName, reference: name, digest, orderId, at } of rows) {
        const user = userNamed(state.users, userName);
        takeAnswer(
          references,
          { kind, user: userName, name },
          { kind, user, name, digest, orderId, at, isHeld: false },
        );
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
      for (const count of counts)
        if (count.hour >= references.firstHour) takeCount(userNamed(state.users, count.user), count);
    },
    hash: () => hashOfNames(state),
  };
}

/** An unknown user may be known by the time the command is applied: the name is fetched anyway. */
function namesOfCommand(command: CommandBody): readonly CommandName[] {
  switch (command.kind) {
    case "place":
    case "cancel":
    case "amend":
      return named({ kind: "order", user: command.user, name: command.clientOrderId });
    case "replace":
      return [command.clientOrderId, command.order.clientOrderId].flatMap((name) =>
        named({ kind: "order", user: command.user, name }),
      );
    case "placeList":
      return [
        ...named({ kind: "list", user: command.user, name: command.clientListId }),
        ...command.orders.flatMap(({ clientOrderId: name }) => named({ kind: "order", user: command.user, name })),
      ];
    case "cancelList":
      return named({ kind: "list", user: command.user, name: command.clientListId });
    case "deposit":
      return named({ kind: "deposit", user: command.user, name: command.reference });
    case "withdraw":
      return named({ kind: "withdrawal", user: command.user, name: command.reference });
    case "transfer":
      return named({ kind: "transfer", user: command.from, name: command.reference });
    default:
      return [];
  }
}

const named = (name: CommandName): readonly CommandName[] => (name.name === "" ? [] : [name]);

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
