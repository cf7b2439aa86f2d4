import { unreachable } from "../../shared/assert.ts";
import { absorbChanges } from "./absorb.ts";
import { balanceRow } from "./accounts.ts";
import { cancelAll, cancelOrder } from "./cancel.ts";
import { takeChanges } from "./change-log.ts";
import type { BalanceRow, Changes, OrderRow, PairRow } from "./changes.ts";
import type { Command } from "./command.ts";
import { setCurrency, setPair, setUser } from "./configure.ts";
import type { EngineBounds } from "./limits.ts";
import { moveMoney } from "./move-money.ts";
import { type Names, namesOf } from "./names.ts";
import { forgetNonces, nonceFault } from "./nonces.ts";
import { findSlot } from "./order-index.ts";
import { openRow } from "./order-row.ts";
import { NONE } from "./order-slab.ts";
import type { Outcome } from "./outcome.ts";
import { pairRow } from "./pairs.ts";
import { placeOrder } from "./place.ts";
import { forgetHours } from "./references.ts";
import { reject } from "./reject.ts";
import { createState, type EngineState } from "./state.ts";
import { stateHash } from "./state-hash.ts";
import { verifyState } from "./verify.ts";

/**
 * The venue's books and balances in memory, and what a command does to them. It asks nobody: no clock, no chance, no input or output.
 * The same commands lead to the same state everywhere. A rejected command has changed nothing but the time, and that its signed request came.
 */
export type Engine = {
  readonly apply: (command: Command) => Outcome;
  /** What has changed since the last call, in absolute terms. */
  readonly takeChanges: () => Changes;
  /** Brings the state to what the rows say: for a standby, and for loading. New orders of a price come in ascending order of id. */
  readonly absorb: (changes: Changes) => void;
  /** Which of the names that count are in memory, and which the store is asked for. */
  readonly names: Names;
  /**
   * The same for two engines whose future is the same, given the same store of names: which of them are in memory makes no difference. It looks at
   * everything: not for every command.
   */
  readonly stateHash: () => string;
  /** What is wrong with the state, in sentences. */
  readonly verify: () => readonly string[];
  readonly pair: (name: string) => PairRow | undefined;
  readonly balance: (user: string, currency: string) => BalanceRow;
  /** Open orders only. */
  readonly order: (id: number) => OrderRow | undefined;
};

export function createEngine(bounds: Partial<EngineBounds> = {}): Engine {
  const state = createState(bounds);
  return {
    apply(command) {
      if (!Number.isSafeInteger(command.at)) return reject("command_invalid");
      if (command.at > state.at) state.at = command.at;
      forgetHours(state.references, state.at);
      forgetNonces(state.nonces, state.at);
      const fault = nonceFault(state, command);
      return fault === undefined ? applyCommand(state, command) : reject(fault);
    },
    takeChanges: () => takeChanges(state),
    absorb: (changes) => absorbChanges(state, changes),
    names: namesOf(state),
    stateHash: () => stateHash(state),
    verify: () => verifyState(state),
    pair(name) {
      const pair = state.pairs.byName.get(name);
      return pair && pairRow(pair);
    },
    balance(user, currency) {
      const index = state.currencies.byName.get(currency)?.index ?? NONE;
      const account = state.users.byName.get(user)?.accounts[index] ?? NONE;
      return account === NONE ? { user, currency, available: 0n, frozen: 0n } : balanceRow(state.accounts, account);
    },
    order(id) {
      const slot = findSlot(state.index, id);
      return slot === NONE ? undefined : openRow(state, slot);
    },
  };
}

function applyCommand(state: EngineState, command: Command): Outcome {
  switch (command.kind) {
    case "place":
      return placeOrder(state, command);
    case "cancel":
      return cancelOrder(state, command);
    case "cancelAll":
      return cancelAll(state, command);
    case "deposit":
    case "withdraw":
    case "transfer":
      return moveMoney(state, command);
    case "setCurrency":
      return setCurrency(state, command);
    case "setPair":
      return setPair(state, command.terms);
    case "setUser":
      return setUser(state, command);
    default:
      return unreachable(command);
  }
}
