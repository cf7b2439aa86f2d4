import { seededRandom } from "../../test/sim/random.ts";

/** A flash crowd: all come within seconds, and some of them go silent before their turn. */
export type Crowd = {
  readonly visitors: readonly CrowdVisitor[];
  readonly limits: CrowdLimits;
  /** When the best line possible lets the last one in who stays. */
  readonly idealDrainMs: number;
};

export type CrowdVisitor = {
  readonly name: string;
  readonly joinsAtMs: number;
  /** From then on nothing is heard of this visitor; before the turn would have come, even in the best line possible. */
  readonly silentFromMs: number;
  /** How long the visitor stays inside. */
  readonly stayMs: number;
};

export type CrowdLimits = {
  readonly maxActive: number;
  /** Admissions per second. */
  readonly rate: number;
  readonly burst: number;
  readonly stayMs: number;
};

type CrowdOptions = {
  readonly seed: number;
  readonly size: number;
  readonly silentShare: number;
  readonly limits: CrowdLimits;
};

const ARRIVALS_MS = 2_000;

export function gatherCrowd({ seed, size, silentShare, limits }: CrowdOptions): Crowd {
  const random = seededRandom(seed);
  const people = Array.from({ length: size }, (_, index) => ({
    // As long as a real ticket's id.
    name: `visitor-${String(index).padStart(14, "0")}`,
    joinsAtMs: Math.floor((index * ARRIVALS_MS) / size),
    stayMs: Math.round(limits.stayMs * (0.5 + random.next())),
    isImpatient: random.chance(silentShare),
    patience: random.next(),
  }));
  const turns = idealTurns(people, limits);
  const visitors = people.map(({ name, joinsAtMs, stayMs, patience }, index) => {
    const { turnMs, stays } = turns[index] ?? { turnMs: 0, stays: true };
    const silentFromMs = stays ? Number.POSITIVE_INFINITY : joinsAtMs + Math.floor(patience * (turnMs - joinsAtMs));
    return { name, joinsAtMs, stayMs, silentFromMs };
  });
  return { visitors, limits, idealDrainMs: turns.at(-1)?.turnMs ?? 0 };
}

export function willStay({ silentFromMs }: CrowdVisitor): boolean {
  return silentFromMs === Number.POSITIVE_INFINITY;
}

type Person = { readonly joinsAtMs: number; readonly stayMs: number; readonly isImpatient: boolean };

type Turn = { readonly turnMs: number; readonly stays: boolean };

/** Nobody loses patience before there is a line. */
const PATIENCE_MS_MIN = 1_000;

/**
 * The best that anybody could do: knows who will stay, needs no polls, and lets the next one in at the very moment at
 * which both limits allow it. The turn of somebody who will not stay is the one that the line had reached by then.
 */
function idealTurns(people: readonly Person[], { maxActive, rate, burst }: CrowdLimits): Turn[] {
  const endsAtMs: number[] = [];
  let credit = burst;
  let turnMs = 0;
  return people.map(({ joinsAtMs, stayMs, isImpatient }) => {
    if (isImpatient && turnMs - joinsAtMs > PATIENCE_MS_MIN) return { turnMs, stays: false };
    const slotAtMs = endsAtMs.length < maxActive ? 0 : (endsAtMs.shift() ?? 0);
    const creditAtMs = turnMs + (Math.max(0, 1 - credit) * 1_000) / rate;
    const admittedAtMs = Math.max(joinsAtMs, slotAtMs, creditAtMs);
    credit = Math.min(burst, credit + ((admittedAtMs - turnMs) * rate) / 1_000) - 1;
    turnMs = admittedAtMs;
    insertSorted(endsAtMs, turnMs + stayMs);
    return { turnMs, stays: true };
  });
}

function insertSorted(sorted: number[], value: number): void {
  let at = sorted.length;
  while (at > 0 && (sorted[at - 1] ?? 0) > value) at--;
  sorted.splice(at, 0, value);
}
