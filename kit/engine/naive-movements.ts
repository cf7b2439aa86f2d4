import type { Deposit, Transfer, Withdraw } from "../../origin/engine/command.ts";
import type { Outcome, RejectCode } from "../../origin/engine/outcome.ts";
import { available, balance, hasUsedUpNames, MOST, no, said } from "./naive-parts.ts";
import type { NaiveVenue } from "./naive-venue.ts";

type Move = {
  readonly from: string | null;
  readonly to: string | null;
  readonly amount: bigint;
  readonly currency: string;
};

export function naiveMove(venue: NaiveVenue, command: Deposit | Withdraw | Transfer): Outcome {
  const { kind, amount, currency, reference } = command;
  const move: Move = { ...ends(command), amount, currency };
  if (amount <= 0n || move.from === move.to || move.from === "" || move.to === "") return no("command_invalid");
  const user = move.from ?? move.to ?? "";
  const content = [kind, move.from, move.to, currency, amount].join(" ");
  const before = reference === "" ? undefined : said(venue, { kind, user, name: reference });
  if (before) return before.content === content ? { kind: "repetition", orderId: 0 } : no("reference_reused");
  const fault = moveFault(venue, move);
  if (fault) return no(fault);
  if (reference !== "" && hasUsedUpNames(venue, user)) return no("engine_full");
  carryOut(venue, move);
  if (reference !== "") venue.names.push({ kind, user, name: reference, content, orderId: 0, at: venue.at });
  return { kind: "done" };
}

function ends(command: Deposit | Withdraw | Transfer): Pick<Move, "from" | "to"> {
  if (command.kind === "deposit") return { from: null, to: command.user };
  return command.kind === "withdraw" ? { from: command.user, to: null } : { from: command.from, to: command.to };
}

function moveFault(venue: NaiveVenue, { from, to, amount, currency: name }: Move): RejectCode | undefined {
  const currency = venue.currencies.find((one) => one.name === name);
  if (!currency) return "currency_unknown";
  if (from === null && currency.supply + amount > MOST) return "amount_too_large";
  if (venue.users.find((one) => one.name === from)?.isFrozen) return "user_frozen";
  if (from !== null && available(venue, from, name) < amount) return "balance_insufficient";
  const isNew = to !== null && !venue.users.some((one) => one.name === to);
  return isNew && venue.users.length >= venue.bounds.usersMax ? "engine_full" : undefined;
}

function carryOut(venue: NaiveVenue, { from, to, amount, currency }: Move): void {
  for (const one of venue.currencies.filter(({ name }) => name === currency)) {
    one.supply += (from === null ? amount : 0n) - (to === null ? amount : 0n);
  }
  if (from !== null) balance(venue, from, currency).available -= amount;
  if (to !== null) balance(venue, to, currency).available += amount;
}
