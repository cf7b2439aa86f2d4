import { balanceRow, eachAccount } from "./accounts.ts";
import { firstOrder, nextOrder } from "./book.ts";
import { currencyRow } from "./currencies.ts";
import { addHash, formatHash, type Hash, hashText } from "./hash.ts";
import type { Ladder } from "./ladder.ts";
import { openRow } from "./order-row.ts";
import { NONE } from "./order-slab.ts";
import { pairRow } from "./pairs.ts";
import type { EngineState } from "./state.ts";

/**
 * Over everything that decides what the engine will do next, and nothing else: not where things are stored, not what was swept out
 * already, not accounts that hold nothing. Names are not in it: those that have left memory are in the store, and decide all the same; how many each
 * user has given is. Each row is hashed with what it is, and the hashes are added up.
 */
export function stateHash(state: EngineState): string {
  const sum: Hash = { low: 0, high: 0 };
  const add = (kind: string, row: object) => addHash(sum, hashText(`${kind}\n${textOf(row)}`));
  const { at, nextOrderId, nextTradeId, references } = state;
  add("counters", { at, nextOrderId, nextTradeId });
  for (const currency of state.currencies.all) add("currency", currencyRow(currency));
  for (const pair of state.pairs.all) {
    add("pair", pairRow(pair));
    for (const ladder of [pair.book.buys, pair.book.sells]) eachOrder(state, ladder, (slot) => add("order", openRow(state, slot)));
  }
  for (const user of state.users.all) {
    add("user", { user: user.name, isFrozen: user.isFrozen });
    const { name, namedByHour } = user;
    for (let place = 0; place < namedByHour.length; place += 2) {
      const [hour, number] = [namedByHour[place] as number, namedByHour[place + 1] as number];
      if (hour >= references.firstHour) add("named", { user: name, hour, number });
    }
  }
  for (const [second, ids] of state.nonces.bySecond) for (const id of ids) add("nonce", { id, second });
  eachAccount(state.accounts, (account) => {
    const row = balanceRow(state.accounts, account);
    if (row.available !== 0n || row.frozen !== 0n) add("balance", row);
  });
  return formatHash(sum);
}

/** The best first, the older first. */
export function eachOrder({ orders }: EngineState, ladder: Ladder, visit: (slot: number) => void): void {
  for (let slot = firstOrder(ladder); slot !== NONE; slot = nextOrder(ladder, { orders, slot })) visit(slot);
}

function textOf(row: object): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("\n");
}
