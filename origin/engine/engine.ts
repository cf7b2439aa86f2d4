import { unreachable } from "../../shared/assert.ts";
import { absorbChanges } from "./absorb.ts";
import { balanceRow } from "./accounts.ts";
import { amendOrder } from "./amend.ts";
import { uncross } from "./auction/uncross.ts";
import { findSlot, NONE } from "./book/order-slab.ts";
import { cancelAll, cancelList, cancelOrder } from "./cancel.ts";
import { cancelAfter } from "./cancel-after.ts";
import { openRow, takeChanges } from "./change-log.ts";
import type { BalanceRow, Changes, OrderRow, PairRow } from "./changes.ts";
import type { Command } from "./command.ts";
import { placeList } from "./conditions/place-list.ts";
import { isDue, nextDueAt, runDue, runWork } from "./conditions/work.ts";
import { setCurrency, setPair, setUser } from "./configure.ts";
import type { EngineBounds } from "./limits.ts";
import { moveMoney } from "./move-money.ts";
import { type Names, namesOf } from "./names/names.ts";
import { forgetNonces, nonceFault } from "./names/nonces.ts";
import { forgetHours } from "./names/references.ts";
import { type Outcome, reject } from "./outcome.ts";
import { pairRow } from "./pairs.ts";
import { placeOrder } from "./place.ts";
import { replaceOrder } from "./replace.ts";
import { createState, type EngineState } from "./state.ts";
import { stateHash, verifyState } from "./verify.ts";

/**
 * The venue's books and balances in memory, and what a command does to them. It is deterministic: no clock, no
 * randomness, no I/O. The same commands lead to the same state everywhere. A rejected command changes only the time and
 * the memory of nonces, and what is due by that time or left over from before.
 */
export type Engine = {
  readonly apply: (command: Command) => Outcome;
  /**
   * When a command is needed, in milliseconds: 0 for at once, because work is left over; infinity for never. A leader
   * without commands applies a `tick` then. Times after `upTo` may be left out.
   */
  readonly nextDueAt: (upTo?: number) => number;
  /** How many orders and trades the changes have that were not taken yet. */
  readonly rowCount: () => number;
  /** The changes since the last call, in absolute terms. */
  readonly takeChanges: () => Changes;
  /**
   * Brings the state to the rows: for a standby, and for loading. New orders of a price come in ascending order of id.
   */
  readonly absorb: (changes: Changes) => void;
  /** The names that are in memory, and those that the store is asked for. */
  readonly names: Names;
  /**
   * The same for two engines whose future is the same, given the same store of names: the names in memory make no
   * difference. It reads the whole state: not for every command.
   */
  readonly stateHash: () => string;
  /** The faults of the state, in sentences. */
  readonly verify: () => readonly string[];
  readonly pair: (name: string) => PairRow | undefined;
  readonly balance: (user: string, currency: string) => BalanceRow;
  /** Open and pending orders only. */
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
      state.workLeft = state.bounds.workMax;
      if (state.work.length > 0 || isDue(state)) runDue(state);
      const fault = nonceFault(state, command);
      const outcome = fault === undefined ? applyCommand(state, command) : reject(fault);
      if (state.work.length > 0) runWork(state);
      return outcome;
    },
    nextDueAt: (upTo = Number.POSITIVE_INFINITY) => nextDueAt(state, upTo),
    rowCount: () => state.log.orderSlots.length + state.log.trades.length,
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

const DONE: Outcome = { kind: "done" };

function applyCommand(state: EngineState, command: Command): Outcome {
  switch (command.kind) {
    case "place":
      return placeOrder(state, command);
    case "cancel":
      return cancelOrder(state, command);
    case "cancelAll":
      return cancelAll(state, command);
    case "amend":
      return amendOrder(state, command);
    case "replace":
      return replaceOrder(state, command);
    case "placeList":
      return placeList(state, command);
    case "cancelList":
      return cancelList(state, command);
    case "cancelAfter":
      return cancelAfter(state, command);
    case "tick":
      uncross(state);
      return DONE;
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
