import { seededRandom } from "../../../kit/random.ts";
import { createIdealLine } from "../../verdict/ideal-line.ts";
import type { CrowdLimits } from "../../verdict/line-score.ts";

/** A flash crowd: all arrive within seconds, and some stop polling before their turn. */
export type Crowd = {
  readonly visitors: readonly CrowdVisitor[];
  readonly limits: CrowdLimits;
  /** When the ideal line lets in the last visitor who stays. */
  readonly idealDrainMs: number;
};

export type CrowdVisitor = {
  readonly name: string;
  readonly joinsAtMs: number;
  /** The visitor does not poll after this; it lies before the turn, even in the ideal line. */
  readonly silentFromMs: number;
  /** How long the visitor stays inside. */
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
    // The length of a real ticket id.
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

/** No visitor loses patience before there is a line. */
const PATIENCE_MS_MIN = 1_000;

/** The turn of a visitor who will not stay is the one that the line had reached by then. */
function idealTurns(people: readonly Person[], limits: CrowdLimits): Turn[] {
  const ideal = createIdealLine(limits);
  return people.map(({ joinsAtMs, stayMs, isImpatient }) => {
    const reachedMs = ideal.lastTurnMs();
    if (isImpatient && reachedMs - joinsAtMs > PATIENCE_MS_MIN) return { turnMs: reachedMs, stays: false };
    return { turnMs: ideal.letIn({ arrivedMs: joinsAtMs, stayMs }), stays: true };
  });
}
