import { Redis } from "ioredis";
import { createAgenda } from "../../kit/agenda.ts";
import { type LineSettings, writeSettings } from "../../kit/line-settings.ts";
import { Objection } from "../../kit/objection.ts";
import { type Random, seededRandom } from "../../kit/random.ts";
import { assert } from "../../shared/assert.ts";
import { checkRepeat } from "./audit-repeat.ts";
import { type Auditor, createAuditor } from "./auditor.ts";
import { type Edge, openEdge } from "./edge.ts";
import { type Call, type Outcome, type Step, takeStep } from "./step.ts";

/**
 * Several edges over one Redis, in simulated time. Calls run one at a time, so that the auditor sees every step and a
 * seed replays exactly: a script is atomic, so calls of several edges can only interleave as a whole. Concurrency adds
 * replies that are lost, late, or for an edge that died; all of these are simulated.
 */
export type World = {
  readonly random: Random;
  readonly auditor: Auditor;
  readonly nowMs: () => number;
  readonly settings: () => LineSettings;
  readonly configure: (changes: Partial<LineSettings>) => Promise<void>;
  /** The outcome, or undefined when the reply was lost. */
  readonly call: (call: Call) => Promise<Outcome | undefined>;
  readonly at: (atMs: number, action: () => Promise<void>) => void;
  /** Runs the planned actions in order, until none is left or the time is over. */
  readonly run: (untilMs: number) => Promise<void>;
  readonly forgetScripts: () => Promise<void>;
  /** The store answers no call until then. */
  readonly fallSilent: (untilMs: number) => void;
  /** From now on no reply is lost and no edge dies. */
  readonly calmDown: () => void;
  readonly stepCount: () => number;
  readonly close: () => void;
};

type WorldOptions = {
  readonly url: string;
  readonly seed: number;
  readonly queueId: string;
  readonly settings: LineSettings;
  readonly mutate?: (source: string) => string;
};

export const START_MS = 1_750_000_000_000;
const EDGE_COUNT = 3;
const REPEAT_CHANCE = 0.08;
const LOSS_CHANCE = 0.06;
/** Repeated joins are the hardest case. */
const JOIN_LOSS_CHANCE = 0.25;
const KILL_CHANCE = 0.005;
/** Coarse clocks put events into the same millisecond, where mistakes hide. */
const CLOCK_STEPS_MS = [1, 1, 100, 500, 1_000] as const;

export async function openWorld(options: WorldOptions): Promise<World> {
  const { url, seed, queueId } = options;
  const random = seededRandom(seed);
  const clockStepMs = random.pick(CLOCK_STEPS_MS);
  const agenda = createAgenda<() => Promise<void>>();
  const auditor = createAuditor(START_MS, options.settings);
  const operator = new Redis(url);
  let settings = options.settings;
  let nowMs = START_MS;
  let silentUntilMs = 0;
  let isCalm = false;
  let steps = 0;

  const mutation = options.mutate === undefined ? {} : { mutate: options.mutate };
  const newEdge = () => openEdge({ url, queueId, random: random.next, nowMs: () => nowMs, ...mutation });
  const edges: Edge[] = Array.from({ length: EDGE_COUNT }, newEdge);
  await writeSettings(operator, { queueId, settings });

  async function call(request: Call): Promise<Outcome | undefined> {
    if (nowMs < silentUntilMs && !isCalm) return undefined;
    const index = random.between(0, EDGE_COUNT - 1);
    const first = await observed(edgeAt(index), request);
    if (random.chance(REPEAT_CHANCE)) {
      const second = await observed(edgeAt((index + 1) % EDGE_COUNT), request);
      judge(second, () => checkRepeat(first, second));
    }
    if (isCalm) return first.outcome;
    if (random.chance(KILL_CHANCE)) {
      edgeAt(index).kill();
      edges[index] = newEdge();
      return undefined;
    }
    return random.chance(request.verb === "enter" ? JOIN_LOSS_CHANCE : LOSS_CHANCE) ? undefined : first.outcome;
  }

  async function observed(edge: Edge, request: Call): Promise<Step> {
    const step = await takeStep(edge, { call: request, nowMs });
    steps++;
    judge(step, () => auditor.observe(step));
    return step;
  }

  /** Adds the step to an objection. */
  function judge({ call: { verb, ...rest }, outcome }: Step, verdict: () => void): void {
    try {
      verdict();
    } catch (error) {
      if (!(error instanceof Objection)) throw error;
      const when = `step ${steps}, ${nowMs - START_MS} ms in`;
      throw new Objection(
        `seed ${seed}, ${when}, ${verb} ${JSON.stringify(rest)} -> ${JSON.stringify(outcome)}: ${error.message}`,
      );
    }
  }

  function edgeAt(index: number): Edge {
    const edge = edges[index];
    assert(edge !== undefined, "there is always an edge");
    return edge;
  }

  return {
    random,
    auditor,
    call,
    nowMs: () => nowMs,
    settings: () => settings,
    configure: async (changes) => {
      settings = { ...settings, ...changes };
      await writeSettings(operator, { queueId, settings });
      auditor.configure(settings);
    },
    at: (atMs, action) => agenda.add(Math.ceil(atMs / clockStepMs) * clockStepMs, action),
    run: async (untilMs) => {
      for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
        if (next.atMs > untilMs) return agenda.add(next.atMs, next.event);
        nowMs = next.atMs;
        await next.event();
      }
    },
    forgetScripts: async () => {
      await operator.script("FLUSH");
    },
    fallSilent: (untilMs) => {
      silentUntilMs = untilMs;
    },
    calmDown: () => {
      isCalm = true;
    },
    stepCount: () => steps,
    close: () => {
      operator.disconnect();
      for (const edge of edges) edge.kill();
    },
  };
}
