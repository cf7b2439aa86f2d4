import { accountOf, availableOf, touchAccount, type User, userNamed } from "./accounts.ts";
import { touch } from "./change-log.ts";
import type { MovementRow, ReferenceKind } from "./changes.ts";
import type { Command, Deposit, Transfer, Withdraw } from "./command.ts";
import { STEPS_MAX } from "./limits.ts";
import {
  countName,
  digestOf,
  HOUR_MS,
  hasNamedAll,
  isRemembered,
  lookUp,
  referenceRow,
  remember,
} from "./names/references.ts";
import { type Outcome, type RejectCode, reject } from "./outcome.ts";
import type { Currency } from "./pairs.ts";
import type { EngineState } from "./state.ts";

type MoveCommand = Command & (Deposit | Withdraw | Transfer);

/**
 * Deposit, withdrawal and transfer in one: an amount moves from one user to another. The empty name is outside the
 * venue.
 */
export function moveMoney(state: EngineState, command: MoveCommand): Outcome {
  const movement = movementOf(command, state.at);
  const { from, to, currency: currencyName, amount, reference } = movement;
  if (amount <= 0n || from === to || isNameless(movement)) return reject("command_invalid");
  const named = state.users.byName.get(ownerName(movement));
  const known = named === undefined || reference === "" ? undefined : recallMovement(state, movement, named);
  if (known !== undefined) return known;
  const currency = state.currencies.byName.get(currencyName);
  if (currency === undefined) return reject("currency_unknown");
  const fault = movementFault(state, movement, currency);
  if (fault !== undefined) return reject(fault);
  if (from === "") currency.supply += amount;
  else add(state, { user: userNamed(state.users, from), currency, amount: -amount });
  if (to === "") currency.supply -= amount;
  else add(state, { user: userNamed(state.users, to), currency, amount });
  if (from === "" || to === "") touch(state.log.currencies, currency);
  state.log.movements.push(movement);
  if (reference !== "") rememberMovement(state, movement);
  return { kind: "done" };
}

function movementOf(command: MoveCommand, at: number): MovementRow {
  const { id: commandId, currency, amount, reference } = command;
  switch (command.kind) {
    case "deposit":
      return { kind: "deposit", commandId, at, from: "", to: command.user, currency, amount, reference };
    case "withdraw":
      return { kind: "withdrawal", commandId, at, from: command.user, to: "", currency, amount, reference };
    case "transfer":
      return { kind: "transfer", commandId, at, from: command.from, to: command.to, currency, amount, reference };
  }
}

/** A frozen user cannot pay out, but can receive. */
function movementFault(state: EngineState, movement: MovementRow, currency: Currency): RejectCode | undefined {
  const { from, to, amount, reference } = movement;
  if (from === "") {
    if (currency.supply + amount > STEPS_MAX) return "amount_too_large";
  } else {
    const giver = state.users.byName.get(from);
    if (giver?.isFrozen === true) return "user_frozen";
    if (giver === undefined || availableOf(state.accounts, giver, currency) < amount) return "balance_insufficient";
  }
  const isNew = to !== "" && !state.users.byName.has(to);
  if (isNew && state.users.all.length >= state.bounds.usersMax) return "engine_full";
  const owner = state.users.byName.get(ownerName(movement));
  return reference !== "" && owner !== undefined && hasNamedAll(state, owner) ? "engine_full" : undefined;
}

/** The empty name is outside the venue: a transfer from it would create money. */
function isNameless({ kind, from, to }: MovementRow): boolean {
  return (kind !== "deposit" && from === "") || (kind !== "withdrawal" && to === "");
}

type Addition = { readonly user: User; readonly currency: Currency; readonly amount: bigint };

function add({ accounts }: EngineState, { user, currency, amount }: Addition): void {
  const account = accountOf(accounts, user, currency);
  accounts.available[account] = (accounts.available[account] as bigint) + amount;
  touchAccount(accounts, account);
}

/** A reference belongs to the payer; a deposit's to the receiver. */
function ownerName({ from, to }: MovementRow): string {
  return from === "" ? to : from;
}

function recallMovement(state: EngineState, movement: MovementRow, user: User): Outcome | undefined {
  const known = lookUp(state.references, { user, kind: kindOf(movement), name: movement.reference, at: state.at });
  if (known === undefined || !isRemembered(known, state.at)) return undefined;
  return known.digest === digestOfMovement(movement) ? { kind: "repetition", orderId: 0 } : reject("reference_reused");
}

function rememberMovement(state: EngineState, movement: MovementRow): void {
  const user = userNamed(state.users, ownerName(movement));
  const digest = digestOfMovement(movement);
  const reference = {
    kind: kindOf(movement),
    user,
    name: movement.reference,
    digest,
    orderId: 0,
    at: state.at,
    isHeld: true,
  };
  remember(state.references, reference, state.index);
  const hour = Math.floor(state.at / HOUR_MS);
  state.log.references.push(referenceRow(reference, countName(user, { hour, firstHour: state.references.firstHour })));
}

function kindOf({ kind }: MovementRow): ReferenceKind {
  return kind;
}

function digestOfMovement({ kind, from, to, currency, amount }: MovementRow): string {
  return digestOf([kind, from, to, currency, amount]);
}
