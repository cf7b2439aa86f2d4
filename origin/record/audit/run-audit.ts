import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import type { Database } from "../../db/database.ts";
import type { Changes } from "../../engine/changes.ts";
import { createEngine } from "../../engine/engine.ts";
import { HOUSE_USER } from "../../engine/terms.ts";
import { CONSUMERS_KEY } from "../../journal/keys.ts";
import { auditMarket, type MarketCheck } from "../../market/audit/audit-market.ts";
import { PROJECTED_KEY } from "../../state/keys.ts";
import { type LoadedState, loadState, toChanges } from "../../state/load-state.ts";
import { listCurrencies, readOffset } from "../ledger/ledger-queries.ts";
import { openLedgerReader } from "../ledger/market-trades.ts";
import { OUTSIDE_ACCOUNT } from "../ledger/post-entry.ts";
import { readRecordedState } from "../sync/read-tables.ts";
import { countStrays, listParked } from "./audit-queries.ts";
import { CHECKS, type Check, createFindings, type Findings, moneyText } from "./findings.ts";
import { lookAgain, STRETCH_ENTRIES_MIN } from "./look-again.ts";
import { noPace, type Pause, patiently } from "./pace.ts";
import { readVerified, saveVerified } from "./verified.ts";
import { startOfWalk, type Totals, type Walk, walkLedger } from "./walk-ledger.ts";

/**
 * Proves that Redis, ledger and balances agree while trading continues: the state in Redis is read as of one journal
 * entry and compared with the ledger up to the same entry.
 */
export type AuditReport = {
  /** The journal entry at which everything was compared. */
  readonly sequence: number;
  readonly lines: readonly AuditLine[];
  readonly isClean: boolean;
  /** Ledger entries that were checked. */
  readonly entriesRead: number;
};

export type AuditLine = {
  readonly check: Check;
  readonly facts: string;
  readonly faults: readonly string[];
  readonly faultCount: number;
};

type AuditOptions = {
  readonly database: Database;
  readonly redis: Redis;
  /** Also checks that PostgreSQL by itself gives the same state: reads all tables. */
  readonly withRestore: boolean;
  readonly pause?: Pause;
};

/** While an audit runs, it counts as a consumer of the journal. */
export const AUDIT_CONSUMER = "audit";
/** How long the ledger may take to reach the entry that Redis was read at. */
const LEDGER_WAIT_MS_MAX = 30_000;
const LEDGER_LOOK_MS = 50;

/** The regular audit compares the market data of this time, a full one all of it. */
const MARKET_MS = 2 * 24 * 3_600_000;

/** Checks the whole ledger, from the first entry on. */
export async function runAudit({ database, redis, withRestore, pause = noPace }: AuditOptions): Promise<AuditReport> {
  const { report } = await audit({ database, redis, withRestore, pause, from: startOfWalk() });
  return report;
}

type SinceLast = Omit<AuditOptions, "withRestore"> & {
  /** Fewest older entries that are checked again. */
  readonly stretchMin?: number;
};

/**
 * Checks everything new since the last clean audit and a stretch of older entries, so that every entry is checked again
 * within `STRETCHES` audits. The verified position of a clean audit is kept in PostgreSQL.
 */
export async function auditSinceLast({
  database,
  redis,
  pause = noPace,
  stretchMin = STRETCH_ENTRIES_MIN,
}: SinceLast): Promise<AuditReport> {
  const { verified, again } = await readVerified(database);
  const from = { ...verified, touched: new Set<string>() };
  const { report, walk, walkedAgain } = await audit({
    database,
    redis,
    withRestore: false,
    pause,
    from,
    again: { walk: again, stretchMin },
  });
  if (report.isClean) await saveVerified(database, { verified: walk, again: walkedAgain });
  return report;
}

type Audit = Required<AuditOptions> & {
  readonly from: Walk;
  readonly again?: { readonly walk: Walk; readonly stretchMin: number };
};
type Audited = { readonly report: AuditReport; readonly walk: Walk; readonly walkedAgain: Walk };

async function audit({ database, redis, withRestore, pause, from, again }: Audit): Promise<Audited> {
  const findings = createFindings();
  const facts = new Map<Check, string>();
  const { position, changes } = await readState(redis, pause);
  const scales = new Map(
    (await patiently(() => listCurrencies.all(database, {}))).map(({ currency, scale }) => [currency, scale]),
  );

  await untilLedgerAt(database, position.sequence, findings);
  const old =
    again === undefined
      ? undefined
      : await lookAgain(database, { from, ...again, upTo: position.sequence, findings, pause });
  let walk = await walkLedger(database, { from, upTo: position.sequence, findings, pause });
  const held = totalsOf(changes);
  compareTotals({
    what: "Redis",
    held,
    posted: walk.totals,
    at: position.sequence,
    check: "balances",
    scales,
    findings,
  });
  facts.set("balances", `${held.size} accounts at entry ${position.sequence}`);
  facts.set("conservation", conservation({ changes, totals: walk.totals, scales, findings }));
  const inRedis = inspected(changes);
  for (const fault of inRedis.faults) findings.add("open orders", fault);
  facts.set("open orders", `${changes.orders.length} open, frozen funds match`);
  const parked = await patiently(() => listParked.all(database, {}));
  for (const { sequence, reason } of parked) findings.add("parked entries", `entry ${sequence}: ${reason}`);
  facts.set("parked entries", "none");
  const ledger = openLedgerReader(database);
  const fromMs = again === undefined ? undefined : changes.at - MARKET_MS;
  const find = (check: MarketCheck, sentence: string) => findings.add(check, sentence);
  const ofMarket = await auditMarket({ redis, ledger, fromMs, find, pause });
  for (const [check, fact] of Object.entries(ofMarket)) facts.set(check as MarketCheck, fact);
  if (withRestore) {
    const recorded = await readRecordedState(database);
    walk = await walkLedger(database, { from: walk, upTo: recorded.position.sequence, findings, pause });
    const rows = toChanges(recorded.rows);
    const at = recorded.position.sequence;
    compareTotals({
      what: "a restore",
      held: totalsOf(rows),
      posted: walk.totals,
      at,
      check: "restore",
      scales,
      findings,
    });
    compareStates(inspected(rows), { inRedis, isSameEntry: at === position.sequence, findings });
    facts.set("restore", `PostgreSQL restores the state at entry ${at} (tables at ${recorded.tablesAt})`);
  }
  const strays = await patiently(() => countStrays.first(database, { lastTradeId: String(walk.lastTradeId) }));
  if (strays !== undefined && strays.postings + strays.trades + strays.entries > 0) {
    findings.add(
      "chain",
      `${strays.entries} entries, ${strays.trades} trades and ${strays.postings} postings come after the ledger's position`,
    );
  }
  const entriesRead = walk.sequence - from.sequence + (old?.entriesRead ?? 0);
  facts.set("trades", `${walk.trades} trades, 1 to ${walk.lastTradeId}, each once`);
  facts.set(
    "chain",
    entriesRead === walk.sequence ? `${walk.sequence} entries` : `${walk.sequence} entries, ${entriesRead} checked now`,
  );
  facts.set("double entry", `${walk.postings} postings, every entry balances to zero`);
  const lines = CHECKS.filter((check) => withRestore || check !== "restore").map((check) => ({
    ...{ check, facts: facts.get(check) ?? "", faults: findings.of(check), faultCount: findings.count(check) },
  }));
  const isClean = lines.every(({ faultCount }) => faultCount === 0);
  return {
    report: { sequence: position.sequence, lines, isClean, entriesRead },
    walk,
    walkedAgain: old?.walk ?? startOfWalk(),
  };
}

/** While it reads, the journal keeps the entries that the projection has read meanwhile, however long this takes. */
async function readState(redis: Redis, pause: Pause): Promise<LoadedState> {
  await redis.hset(CONSUMERS_KEY, AUDIT_CONSUMER, (await redis.hget(PROJECTED_KEY, "sequence")) ?? "0");
  try {
    const loaded = await loadState(redis, { pause });
    if (!loaded.ok) throw new Error(`The state in Redis cannot be read: ${loaded.reason}.`);
    return loaded.value;
  } finally {
    await redis.hdel(CONSUMERS_KEY, AUDIT_CONSUMER);
  }
}

async function untilLedgerAt(database: Database, sequence: number, findings: Findings): Promise<void> {
  let at = 0;
  for (let waitedMs = 0; waitedMs <= LEDGER_WAIT_MS_MAX; waitedMs += LEDGER_LOOK_MS) {
    at = (await patiently(() => readOffset.first(database, { consumer: "ledger" })))?.sequence ?? 0;
    if (at >= sequence) return;
    await sleep(LEDGER_LOOK_MS);
  }
  findings.add("chain", `the ledger is at entry ${at} and has not reached entry ${sequence}`);
}

function totalsOf({ balances }: Changes): Totals {
  const totals: Totals = new Map();
  for (const { user, currency, available, frozen } of balances) {
    const ofUser = totals.get(user) ?? new Map<string, bigint>();
    ofUser.set(currency, available + frozen);
    totals.set(user, ofUser);
  }
  return totals;
}

type Comparison = {
  readonly what: string;
  readonly held: Totals;
  readonly posted: Totals;
  readonly at: number;
  readonly check: Check;
  readonly scales: ReadonlyMap<string, number>;
  readonly findings: Findings;
};

function compareTotals({ what, held, posted, at, check, scales, findings }: Comparison): void {
  for (const account of new Set([...held.keys(), ...posted.keys()])) {
    if (account === OUTSIDE_ACCOUNT) continue;
    const [have, owed] = [held.get(account), posted.get(account)];
    for (const currency of new Set([...(have?.keys() ?? []), ...(owed?.keys() ?? [])])) {
      const [has, should] = [have?.get(currency) ?? 0n, owed?.get(currency) ?? 0n];
      if (has === should) continue;
      const difference = `${moneyText(has, currency, scales)} in ${what}, ${moneyText(should, currency, scales)} by postings`;
      findings.add(check, `account ${account} at entry ${at}: ${difference}`);
    }
  }
}

type Conserved = Pick<Comparison, "scales" | "findings"> & { readonly changes: Changes; readonly totals: Totals };

/** The balance of `outside` is withdrawals minus deposits; it must cancel out what all accounts hold, fees included. */
function conservation({ changes, totals, scales, findings }: Conserved): string {
  const facts: string[] = [];
  for (const { currency, supply } of changes.currencies) {
    const deposited = -(totals.get(OUTSIDE_ACCOUNT)?.get(currency) ?? 0n);
    const held = changes.balances.reduce(
      (sum, row) => (row.currency === currency ? sum + row.available + row.frozen : sum),
      0n,
    );
    const fees = totals.get(HOUSE_USER)?.get(currency) ?? 0n;
    if (held !== deposited || supply !== deposited) {
      findings.add(
        "conservation",
        `${currency}: ${moneyText(deposited, currency, scales)} deposited, ${moneyText(held, currency, scales)} held, ${moneyText(supply, currency, scales)} supplied`,
      );
    }
    if (deposited !== 0n)
      facts.push(`${moneyText(deposited, currency, scales)} (fees ${moneyText(fees, currency, scales)})`);
  }
  return facts.length === 0 ? "no deposits yet" : facts.join(", ");
}

type Inspected = { readonly faults: readonly string[]; readonly hash: string };

/** Trading may have continued between the two looks: then each is checked by itself only. */
function compareStates(
  inTables: Inspected,
  {
    inRedis,
    isSameEntry,
    findings,
  }: { readonly inRedis: Inspected; readonly isSameEntry: boolean; readonly findings: Findings },
): void {
  for (const fault of inTables.faults) findings.add("restore", `a restore would give: ${fault}`);
  if (isSameEntry && inTables.hash !== inRedis.hash)
    findings.add("restore", "a restore would differ from the state in Redis at the same entry");
}

/** The engine's own checks: conservation, no negative balance, no crossed book, frozen funds match the open orders. */
function inspected(changes: Changes): Inspected {
  try {
    const engine = createEngine();
    // Names are fetched when a command has one: they are in no loaded state.
    engine.absorb({ ...changes, references: [] });
    return { faults: engine.verify(), hash: engine.stateHash() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { faults: [`the state cannot be loaded: ${reason}`], hash: "" };
  }
}
