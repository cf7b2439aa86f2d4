import { type RunRecord, VISITOR_ENDS } from "../record/run-record.ts";
import { faultFreeTime } from "./fault-free-time.ts";
import { countOvertaken, type Overtaken } from "./overtaken.ts";

export type EntryOrder = Overtaken & {
  /** Compared visitors with a poll that was refused or not answered shortly before the entry. */
  readonly refused: number;
  /** Visitors left out because the load generator itself polled late. */
  readonly late: number;
  /** False when too many are left out for the rest to prove anything. */
  readonly isJudged: boolean;
};

/** The line lets others pass a visitor who is this late for a poll (`TURN_LATE_MS` of `edge/line/scripts/line.lua`). */
export const CLIENT_LATE_MS = 200;
const LATE_SHARE_MAX = 0.2;
/**
 * Under a fault some polls are answered and others are late or lost, and each answer decides when its visitor polls
 * next: entries up to this long after a fault prove nothing about the order.
 */
const SETTLED_AFTER_MS = 2_000;

/**
 * Undefined for a run without places. Time under a fault does not count, and entries under a fault are not compared.
 */
export function judgeEntryOrder({ visitors, durationMs, faults }: RunRecord): EntryOrder | undefined {
  const { joinedOrder, lane, admittedMs, end, wasAway, walkedIn } = visitors;
  const timeOf = faultFreeTime(faults);
  const hasFaults = faults.length > 0;
  const isLate = (visitor: number) => wasAway[visitor] !== 1 && (visitors.lateMs[visitor] ?? 0) > CLIENT_LATE_MS;
  const isRefused = (visitor: number) => visitors.wasRefused[visitor] === 1;
  // Polls fail under injected faults; otherwise the gate is responsible.
  const mayBePassed = (visitor: number) =>
    wasAway[visitor] === 1 || isLate(visitor) || (hasFaults && isRefused(visitor));
  const placed = [...joinedOrder.keys()].filter((visitor) => {
    const isInLine = (admittedMs[visitor] ?? -1) >= 0 || VISITOR_ENDS[end[visitor] ?? 0] === "underway";
    return (joinedOrder[visitor] ?? -1) >= 0 && isInLine;
  });
  if (placed.length === 0) return undefined;
  const isUnderFault = (ms: number) =>
    faults.some(({ atMs, untilMs }) => ms >= atMs && ms < untilMs + SETTLED_AFTER_MS);
  const compared = placed.filter((visitor) => !isUnderFault(admittedMs[visitor] ?? -1));
  const entries = compared.map((visitor) => {
    const entered = admittedMs[visitor] ?? -1;
    return {
      place: joinedOrder[visitor] ?? -1,
      lane: lane[visitor] ?? 0,
      // A visitor who still waits enters at the end at the earliest.
      enteredMs: timeOf(entered >= 0 ? entered : durationMs),
      // A visitor who entered on arrival can overtake others, but cannot be overtaken.
      wasAway: mayBePassed(visitor) || walkedIn[visitor] === 1,
    };
  });
  const late = placed.filter(isLate).length;
  const present = placed.filter((visitor) => wasAway[visitor] !== 1).length;
  // A fault makes visitors late.
  const isJudged = hasFaults || (present > 0 && late <= present * LATE_SHARE_MAX);
  const refused = hasFaults ? 0 : placed.filter((visitor) => isRefused(visitor) && !mayBePassed(visitor)).length;
  return { ...countOvertaken(entries), refused, late, isJudged };
}
