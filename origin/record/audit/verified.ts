import { assert } from "../../../shared/assert.ts";
import type { Database } from "../../db/database.ts";
import { listTotals, listWalks, putWalk, upsertTotals } from "./audit-queries.ts";
import { patiently } from "./pace.ts";
import { addTo, startOfWalk, type Totals, type Walk } from "./walk-ledger.ts";

/**
 * The progress of the regular audits, which survives a restart: the ledger is verified up to `verified`, and `again` is
 * a second walk through that part.
 */
export type Verified = { readonly verified: Walk; readonly again: Walk };

const PAGE = 2_000;
/** One transaction, because totals without their position are useless. */
const SAVE_MS_MAX = 60_000;

export async function readVerified(database: Database): Promise<Verified> {
  const walks = await patiently(() => listWalks.all(database, {}));
  const find = (name: string): Walk => ({ ...startOfWalk(), ...walks.find(({ walk }) => walk === name) });
  const verified = find("verified");
  for await (const { account, currency, steps } of totalRows(database))
    addTo(verified.totals, { account, currency, steps });
  return { verified, again: find("again") };
}

async function* totalRows(database: Database) {
  let after = { account: "", currency: "" };
  for (;;) {
    const { account: afterAccount, currency: afterCurrency } = after;
    const page = await patiently(() => listTotals.all(database, { afterAccount, afterCurrency, limit: PAGE }));
    yield* page;
    after = page.at(-1) ?? after;
    if (page.length < PAGE) return;
  }
}

/** Called after a clean audit only. Writes nothing and returns false if another audit has come further meanwhile. */
export async function saveVerified(database: Database, { verified, again }: Verified): Promise<boolean> {
  const rows = [...changedTotals(verified)];
  return database.transaction(async (tx) => {
    if ((await putWalk.first(tx, { walk: "verified", ...fieldsOf(verified), mayGoBack: false })) === undefined)
      return false;
    for (let from = 0; from < rows.length; from += PAGE) {
      const page = rows.slice(from, from + PAGE);
      await upsertTotals.all(tx, {
        accounts: page.map(({ account }) => account),
        currencies: page.map(({ currency }) => currency),
        steps: page.map(({ steps }) => String(steps)),
      });
    }
    // After the end the second walk starts from the beginning.
    const noted = await putWalk.first(tx, { walk: "again", ...fieldsOf(again), mayGoBack: true });
    assert(noted !== undefined, "the second walk may go back");
    return true;
  }, SAVE_MS_MAX);
}

function fieldsOf({ sequence, hash, lastTradeId, trades, postings }: Walk) {
  return {
    sequence: String(sequence),
    hash,
    lastTradeId: String(lastTradeId),
    trades: String(trades),
    postings: String(postings),
  };
}

function* changedTotals({ totals, touched }: { readonly totals: Totals; readonly touched: ReadonlySet<string> }) {
  for (const account of touched) {
    for (const [currency, steps] of totals.get(account) ?? []) yield { account, currency, steps };
  }
}
