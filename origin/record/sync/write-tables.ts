import type { Database, Transaction } from "../../db/database.ts";
import type { ListRow, OrderRow, PairRow } from "../../engine/changes.ts";
import { auctionFields } from "../../journal/auction-fields.ts";
import { waveFields } from "../../journal/row-fields.ts";
import type { LatestRows } from "../../state/latest-rows.ts";
import { moveOffset, tryConsumerLock } from "../ledger/ledger-queries.ts";
import { beginJournalWrite, OWN_ROLE } from "../ledger/write-ledger.ts";
import { recordedConditions } from "./recorded-rows.ts";
import {
  setVenueState,
  upsertAssets,
  upsertCurrencies,
  upsertLists,
  upsertOrders,
  upsertPairs,
  upsertReferences,
  upsertUsers,
} from "./table-queries.ts";

type TableBatch = { readonly rows: LatestRows; readonly before: number; readonly after: number };

/**
 * Advances the tables to a later position, in the same transaction as the position itself. False if they are elsewhere.
 */
export async function writeTables(database: Database, { rows, before, after }: TableBatch): Promise<boolean> {
  return database.transaction(async (tx) => {
    await beginJournalWrite(tx, OWN_ROLE);
    if (!(await tryConsumerLock.first(tx, { consumer: "sync" }))?.taken) return false;
    const moved = await moveOffset.first(tx, { consumer: "sync", before: String(before), after: String(after) });
    if (moved === undefined) return false;
    await putRows(tx, rows);
    return true;
  });
}

async function putRows(tx: Transaction, rows: LatestRows): Promise<void> {
  const { at, nextOrderId, nextTradeId } = rows.clock;
  await Promise.all([
    setVenueState.all(tx, { at: String(at), nextOrderId: String(nextOrderId), nextTradeId: String(nextTradeId) }),
    putOrders(tx, [...rows.orders.values()]),
    putLists(tx, [...rows.lists.values()]),
    putAssets(tx, rows),
    putPairs(tx, rows.pairs),
    putOthers(tx, rows),
  ]);
}

async function putOrders(tx: Transaction, orders: readonly OrderRow[]): Promise<void> {
  if (orders.length === 0) return;
  const column = (of: (order: OrderRow) => string | number | bigint | boolean) =>
    orders.map((order) => String(of(order)));
  await upsertOrders.all(tx, {
    ids: column(({ id }) => id),
    users: column(({ user }) => user),
    pairs: column(({ pair }) => pair),
    grids: column(({ grid }) => grid),
    sides: column(({ side }) => side),
    types: column(({ type }) => type),
    timesInForce: column(({ timeInForce }) => timeInForce),
    postOnly: column(({ postOnly }) => postOnly),
    ticks: column(({ ticks }) => ticks),
    lots: column(({ lots }) => lots),
    quoteAmounts: column(({ quoteAmount }) => quoteAmount),
    filledLots: column(({ filledLots }) => filledLots),
    filledValues: column(({ filledValue }) => filledValue),
    feesPaid: column(({ feePaid }) => feePaid),
    statuses: column(({ status }) => status),
    cancelReasons: column(({ cancelReason }) => cancelReason),
    clientOrderIds: column(({ clientOrderId }) => clientOrderId),
    createdAt: column(({ createdAt }) => createdAt),
    updatedAt: column(({ updatedAt }) => updatedAt),
    conditions: column(({ conditions }) =>
      conditions === undefined ? "" : JSON.stringify(recordedConditions(conditions)),
    ),
  });
}

async function putLists(tx: Transaction, lists: readonly ListRow[]): Promise<void> {
  if (lists.length === 0) return;
  const column = (of: (list: ListRow) => string | number | bigint) => lists.map((list) => String(of(list)));
  await upsertLists.all(tx, {
    ids: column(({ id }) => id),
    users: column(({ user }) => user),
    pairs: column(({ pair }) => pair),
    kinds: column(({ kind }) => kind),
    clientListIds: column(({ clientListId }) => clientListId),
    orderIds: column(({ orderIds }) => orderIds.join()),
    statuses: column(({ status }) => status),
    reserved: column(({ reserved }) => reserved),
    dueAs: column(({ dueAs }) => dueAs),
    targetProfits: column(({ targetProfitPpm }) => targetProfitPpm),
    stopLosses: column(({ stopLossPpm }) => stopLossPpm),
    boughtLots: column(({ boughtLots }) => boughtLots),
    boughtValues: column(({ boughtValue }) => boughtValue),
    createdAt: column(({ createdAt }) => createdAt),
    updatedAt: column(({ updatedAt }) => updatedAt),
  });
}

async function putAssets(tx: Transaction, rows: LatestRows): Promise<void> {
  const balances = [...rows.balances.values()].flatMap((ofUser) => [...ofUser.values()]);
  if (balances.length === 0) return;
  await upsertAssets.all(tx, {
    users: balances.map(({ user }) => user),
    currencies: balances.map(({ currency }) => currency),
    available: balances.map(({ available }) => String(available)),
    frozen: balances.map(({ frozen }) => String(frozen)),
    atMs: String(rows.clock.at),
  });
}

async function putPairs(tx: Transaction, rows: readonly PairRow[]): Promise<void> {
  const pairs = [...new Map(rows.map((row) => [row.pair, row])).values()];
  if (pairs.length === 0) return;
  const column = (of: (pair: PairRow) => string | number | bigint | boolean) => pairs.map((pair) => String(of(pair)));
  await upsertPairs.all(tx, {
    pairs: column(({ pair }) => pair),
    baseCurrencies: column(({ baseCurrency }) => baseCurrency),
    quoteCurrencies: column(({ quoteCurrency }) => quoteCurrency),
    tickSteps: column(({ tickSteps }) => tickSteps),
    lotSteps: column(({ lotSteps }) => lotSteps),
    valueStepsMin: column(({ valueStepsMin }) => valueStepsMin),
    makerFees: column(({ makerFeePpm }) => makerFeePpm),
    takerFees: column(({ takerFeePpm }) => takerFeePpm),
    states: column(({ state }) => state),
    bands: column(({ bandPpm }) => bandPpm),
    versions: column(({ version }) => version),
    grids: column(({ grid }) => grid),
    lastTicks: column(({ lastTicks }) => lastTicks),
    opensAt: column(({ opensAt }) => opensAt),
    freezeMs: column(({ freezeMs }) => freezeMs),
    auctions: column(({ auction }) => JSON.stringify(auctionFields(auction))),
    waves: column(({ waves = [] }) => JSON.stringify(waves.map(waveFields))),
  });
}

async function putOthers(tx: Transaction, rows: LatestRows): Promise<void> {
  const currencies = [...rows.currencies.values()];
  if (currencies.length > 0) {
    await upsertCurrencies.all(tx, {
      currencies: currencies.map(({ currency }) => currency),
      scales: currencies.map(({ scale }) => String(scale)),
      supplies: currencies.map(({ supply }) => String(supply)),
    });
  }
  const users = [...rows.users.values()];
  if (users.length > 0) {
    await upsertUsers.all(tx, {
      users: users.map(({ user }) => user),
      areFrozen: users.map(({ isFrozen }) => String(isFrozen)),
      cancelAt: users.map(({ cancelAt }) => (cancelAt === undefined ? "" : String(cancelAt))),
    });
  }
  const references = [...rows.references.values()];
  if (references.length === 0) return;
  await upsertReferences.all(tx, {
    users: references.map(({ user }) => user),
    kinds: references.map(({ kind }) => kind),
    references: references.map(({ reference }) => reference),
    digests: references.map(({ digest }) => digest),
    orderIds: references.map(({ orderId }) => String(orderId)),
    atMs: references.map(({ at }) => String(at)),
  });
}
