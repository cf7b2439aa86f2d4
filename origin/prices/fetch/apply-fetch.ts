import type { Result } from "../../../shared/result.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Schedule } from "../calendar/schedule.ts";
import { tehranDate, tehranDayStart } from "../calendar/tehran-time.ts";
import type { TrackedItem } from "../items/item.ts";
import { bumpRevision } from "../items/item-queries.ts";
import type { FetchFault } from "../providers/fetch-quotes.ts";
import { type FetchReport, finishFetch, lockProvider, type ProviderRow } from "../providers/provider-queries.ts";
import type { Quote } from "../providers/read-answer.ts";
import { markStale, putBars, putCurrent, putIntraday, readStates } from "./fetch-queries.ts";
import { type Judgement, judgePrices, type RefusedPrice } from "./judge-prices.ts";
import { type ItemState, nextRows, stepsOf } from "./next-rows.ts";

/**
 * Writes the outcome of one fetch in one transaction: prices, today's courses, bars, refusals, and the provider's own
 * row. Readers see all of it or nothing.
 */
export type FetchOutcome = {
  readonly row: ProviderRow;
  readonly items: readonly TrackedItem[];
  readonly fetched: Result<readonly Quote[], FetchFault>;
  readonly schedule: Schedule;
  readonly nowMs: number;
  readonly fetchMs: number;
  /** When the provider is asked again; until a while later its prices count as fresh. */
  readonly nextDueMs: number;
};

/** A fetch takes seconds, and a failed one is repeated after a minute, before its prices are called stale. */
const GRACE_MS = 5 * 60_000;
/** Two hundred items take a few milliseconds; an embedded database under load takes longer. */
const APPLY_MS_MAX = 15_000;
/** Reports are for people. */
const REFUSED_SHOWN_MAX = 100;

export function applyFetch(database: Database, outcome: FetchOutcome): Promise<FetchReport> {
  return database.transaction(async (tx) => {
    const { row, fetched, nowMs, fetchMs } = outcome;
    const locked = await lockProvider.first(tx, { provider: row.provider });
    // An admin has deleted it meanwhile.
    if (locked === undefined) return { fault: "deleted", fetchMs, accepted: 0, refused: [] };
    const report = fetched.ok
      ? await writePrices(tx, outcome, fetched.value)
      : await writeFault(tx, outcome, fetched.reason);
    await finishFetch.all(tx, {
      provider: row.provider,
      succeeded: fetched.ok,
      nowMs,
      retryAtMs: fetched.ok ? null : String(nowMs + backOffMs(locked.failures + 1, fetched.reason.retryAfterMs)),
      report,
    });
    await bumpRevision.all(tx, {});
    return report;
  }, APPLY_MS_MAX);
}

async function writePrices(tx: Transaction, outcome: FetchOutcome, quotes: readonly Quote[]): Promise<FetchReport> {
  const { row, items, schedule, nowMs, fetchMs, nextDueMs } = outcome;
  const { states, judgement } = await judgeIn(tx, { row, items, quotes, nowMs });
  const { accepted, refused } = judgement;
  const facts = {
    provider: row.provider,
    isDemo: row.kind === "demo",
    schedule,
    nowMs,
    fetchMs,
    freshUntilMs: nextDueMs + GRACE_MS,
  };
  const rows = accepted.map((price) => nextRows(price, states.get(price.item.itemCode) ?? NO_STATE, facts));
  if (rows.length > 0) {
    await putCurrent.all(tx, { rows: { rows: rows.map(({ current }) => current) } });
    await putIntraday.all(tx, { rows: { rows: rows.map(({ intraday }) => intraday) } });
    await putBars.all(tx, { rows: { rows: rows.map(({ bar }) => bar) } });
  }
  if (refused.length > 0)
    await markStale.all(tx, {
      rows: { rows: refused.map(({ item, reason }) => ({ itemCode: item.itemCode, reason })) },
    });
  return { fault: null, fetchMs, accepted: accepted.length, refused: shownRefusals(refused) };
}

async function writeFault(tx: Transaction, { items, fetchMs }: FetchOutcome, fault: FetchFault): Promise<FetchReport> {
  const rows = items.map(({ itemCode }) => ({ itemCode, reason: fault.reason }));
  await markStale.all(tx, { rows: { rows } });
  return { fault: fault.detail, fetchMs, accepted: 0, refused: [] };
}

function shownRefusals(refused: readonly RefusedPrice[]): FetchReport["refused"] {
  return refused
    .slice(0, REFUSED_SHOWN_MAX)
    .map(({ item, reason, text }) => ({ itemCode: item.itemCode, reason, text }));
}

type JudgeQuestion = Pick<FetchOutcome, "row" | "items" | "nowMs"> & { readonly quotes: readonly Quote[] };

type States = ReadonlyMap<string, ItemState & { readonly price: bigint | null }>;

/** Which values would become prices, by what the database holds now. Items that were deleted meanwhile are left out. */
export async function judgeIn(
  tx: Pick<Transaction, "query">,
  { row, items, quotes, nowMs }: JudgeQuestion,
): Promise<{ readonly states: States; readonly judgement: Judgement }> {
  const date = tehranDate(nowMs);
  const found = await readStates.all(tx, {
    itemCodes: items.map(({ itemCode }) => itemCode),
    date,
    dayStartMs: String(tehranDayStart(date)),
  });
  const decimalsOf = new Map(items.map(({ itemCode, decimals }) => [itemCode, decimals]));
  const states = new Map(
    found.map(({ itemCode, dayPoints, pointsBefore, ...state }) => {
      const steps = (text: string | null) => (text === null ? null : stepsOf(text, decimalsOf.get(itemCode) ?? 0));
      const amounts = {
        price: steps(state.price),
        dayOpen: steps(state.dayOpen),
        dayHigh: steps(state.dayHigh),
        dayLow: steps(state.dayLow),
        closeBefore: steps(state.closeBefore),
      };
      return [itemCode, { ...amounts, dayPoints: dayPoints ?? [], pointsBefore: pointsBefore ?? [] }] as const;
    }),
  );
  const judgement = judgePrices({
    items: items.filter(({ itemCode }) => states.has(itemCode)),
    quotes,
    description: row.description,
    lastOf: (itemCode) => states.get(itemCode)?.price ?? undefined,
    acceptsJumps: row.acceptsJumps,
  });
  return { states, judgement };
}

const NO_STATE: ItemState = {
  dayOpen: null,
  dayHigh: null,
  dayLow: null,
  dayPoints: [],
  pointsBefore: [],
  closeBefore: null,
};

const FIRST_RETRY_MS = 60_000;
const RETRY_MS_MAX = 2 * 3_600_000;

/** A minute after the first failure, twice as long after each further one, two hours at most; never before the provider allows it. */
function backOffMs(failures: number, retryAfterMs = 0): number {
  return Math.max(Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20), RETRY_MS_MAX), retryAfterMs);
}
