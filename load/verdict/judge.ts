import { type Gauge, type RunRecord, VISITOR_ENDS } from "../record/run-record.ts";
import { admissionLimits } from "./admission-limits.ts";
import { countAdmittedErrors } from "./admitted-errors.ts";
import { drainAgainstIdeal } from "./drain.ts";
import { judgeEntryOrder } from "./order-of-entry.ts";
import { OVERTAKEN_MS } from "./overtaken.ts";
import { judgeResources } from "./resources.ts";
import { longestStall } from "./stall.ts";

/**
 * The verdict of a run, line by line: a promise, the expected value and the seen value. A promise that the scenario
 * does not test has no line. `docs/operations.md` explains each line.
 */
export type Verdict = { readonly isMet: boolean; readonly lines: readonly VerdictLine[] };

/** `expected` and `seen` are shown as they are. */
export type VerdictLine = {
  readonly name: string;
  readonly expected: string;
  readonly seen: string;
  readonly isMet: boolean;
};

/** Holds under faults too. */
export const EVERY_VISIT_ENDED = "every visit came to an end";

/** Promise G13. */
export const ORDER_OF_ENTRY = "order of entry";

/** The share of the best possible drain that the line must reach (G4). */
const DRAIN_SHARE_MIN = 0.95;

/** The longest poll interval: three fifths of the claim window, which is 20 s by default. */
const POLL_MS_MAX = 12_000;

export function judge(record: RunRecord): Verdict {
  const lines = [
    overAdmission(record),
    entryOrder(record),
    admittedErrors(record),
    stall(record),
    drain(record),
    ends(record),
    lostOrders(record),
    ...judgeResources(record),
    ...record.checks,
  ].filter((line) => line !== undefined);
  // A run that tested nothing proves nothing.
  return { isMet: lines.length > 0 && lines.every(({ isMet }) => isMet), lines };
}

/** A shard does not know why its visitors wait: others may have been admitted. */
const isWholeCrowd = ({ shard, visitors }: RunRecord) => shard === "1/1" && visitors.arrivedMs.length > 0;

const beyondCap = ({ active, cap }: Gauge) => Math.max(0, active - cap);

function overAdmission({ gauges, visitors }: RunRecord): VerdictLine | undefined {
  const name = "over-admission";
  const expected = "0 visitors beyond the cap";
  if (gauges.length === 0)
    return visitors.arrivedMs.length === 0
      ? undefined
      : { name, expected, seen: "the line was never sampled", isMet: false };
  const most = gauges.reduce((worst, gauge) => (isFuller(gauge, worst) ? gauge : worst));
  const beyond = beyondCap(most);
  return {
    name,
    expected,
    seen: `${shown(beyond)} (at most ${shown(most.active)} of ${shown(most.cap)})`,
    isMet: beyond === 0,
  };
}

/** The cap may change during a run, so each sample is judged by its own cap. */
function isFuller(gauge: Gauge, than: Gauge): boolean {
  const [beyond, thanBeyond] = [beyondCap(gauge), beyondCap(than)];
  return beyond > thanBeyond || (beyond === thanBeyond && gauge.active > than.active);
}

function entryOrder(record: RunRecord): VerdictLine | undefined {
  const order = judgeEntryOrder(record);
  if (order === undefined) return undefined;
  const { count, compared, worstMs, refused, late, isJudged } = order;
  const expected = `0 visitors enter more than ${OVERTAKEN_MS} ms after a visitor with a later place`;
  const excluded = `the load generator polled late for ${shown(late)} of ${shown(late + compared)} visitors`;
  if (!isJudged) return { name: ORDER_OF_ENTRY, expected, seen: `not judged: ${excluded}`, isMet: false };
  const overtaken = `${shown(count)} of ${shown(compared)} overtaken by more than ${OVERTAKEN_MS} ms, worst ${shown(Math.round(worstMs))} ms`;
  const remarks = [
    ...(refused === 0 ? [] : [`polls of ${shown(refused)} visitors were refused`]),
    ...(late === 0 ? [] : [`not counted: ${excluded}`]),
  ];
  const seen = remarks.length === 0 ? overtaken : `${overtaken} (${remarks.join("; ")})`;
  return { name: ORDER_OF_ENTRY, expected, seen, isMet: count === 0 };
}

function admittedErrors(record: RunRecord): VerdictLine | undefined {
  // Injected faults may reach visitors inside; the cell of the fault judges that.
  if (record.faults.length > 0) return undefined;
  const { count, of, what } = countAdmittedErrors(record);
  if (of === 0) return undefined;
  const seen = count === 0 ? `0 of ${shown(of)} requests` : `${shown(count)} of ${shown(of)} requests: ${what}`;
  return { name: "errors for admitted visitors", expected: "0", seen, isMet: count === 0 };
}

function stall(record: RunRecord): VerdictLine | undefined {
  const limits = admissionLimits(record);
  if (limits === undefined || !isWholeCrowd(record)) return undefined;
  const told = record.settings["pollMsMax"];
  const pollMs = typeof told === "number" && told > 0 ? told : POLL_MS_MAX;
  const stallMs = longestStall(record, limits);
  return {
    name: "longest stall",
    expected: `under one poll interval (${seconds(pollMs)}) while visitors wait and there is room`,
    seen: seconds(stallMs),
    isMet: stallMs < pollMs,
  };
}

function drain(record: RunRecord): VerdictLine | undefined {
  const limits = admissionLimits(record);
  if (limits === undefined || !isWholeCrowd(record) || record.faults.length > 0) return undefined;
  const drained = drainAgainstIdeal(record, limits);
  if (drained === undefined) return undefined;
  const { share, admitted, tookMs, idealMs } = drained;
  return {
    name: "drain against ideal",
    expected: `${percent(DRAIN_SHARE_MIN)} or more`,
    seen: `${percent(share)} (${shown(admitted)} visitors in ${seconds(tookMs)}, at best ${seconds(idealMs)})`,
    isMet: share >= DRAIN_SHARE_MIN,
  };
}

/** In a run that was stopped, visits may be under way. */
function ends({ visitors, wasInterrupted }: RunRecord): VerdictLine | undefined {
  const came = visitors.end.length;
  if (came === 0) return undefined;
  const ended = visitors.end.filter((end) => VISITOR_ENDS[end] !== "underway").length;
  const seen = `${shown(ended)} of ${shown(came)}${wasInterrupted ? ", then the run was stopped" : ""}`;
  return { name: EVERY_VISIT_ENDED, expected: "all", seen, isMet: wasInterrupted || ended === came };
}

function lostOrders({ orders }: RunRecord): VerdictLine | undefined {
  if (orders === undefined) return undefined;
  const { acknowledged, asked, lost } = orders;
  const seen = `${shown(lost)} (read back ${asked === acknowledged ? "all" : `${shown(asked)} of`} ${shown(acknowledged)})`;
  // Without an order nothing could be lost.
  const isMet = lost === 0 && asked > 0;
  return { name: "acknowledged orders lost", expected: "0", seen, isMet };
}

const shown = (count: number) => count.toLocaleString("en-GB");
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
/** Truncated, not rounded: 94.96 % is not 95 %. */
const percent = (share: number) => `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`;
