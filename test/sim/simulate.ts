import { type LineEvent, phaseAt } from "../../kit/line-event.ts";
import type { LineSettings } from "../../kit/line-settings.ts";
import { Objection } from "../../kit/objection.ts";
import type { Random } from "../../kit/random.ts";
import { sendVisitor, type Visitor } from "./visitor.ts";
import { openWorld, START_MS, type World } from "./world.ts";

export type SimulationOptions = {
  readonly url: string;
  readonly seed: number;
  readonly visitors: number;
  readonly mutate?: (source: string) => string;
};

export type SimulationReport = {
  readonly seed: number;
  readonly steps: number;
  readonly admissions: number;
  readonly simulatedMs: number;
};

/** Share of crowds that arrive at once at a fast line. */
const RUSH_CHANCE = 0.3;
const RUSH_MS = 800;
const BURSTS_MAX = 6;
/** The duration of a burst of arrivals, short enough for long lines. */
const BURST_MS_MAX = 20_000;
const STORM_MS_PER_VISITOR = 2_000;
const STORM_MS_MIN = 60_000;
const INCIDENT_EVERY_MS_MAX = 15_000;
const OUTAGE_MS_MAX = 12_000;
const CALM_MS_MAX = 3_600_000;

let simulations = 0;

/**
 * One seed: a storm of visitors, faults and changes of configuration, then calm, in which every visitor who keeps
 * polling must enter. Throws an `Objection` that names the seed and the step.
 */
export async function simulate({ url, seed, visitors, mutate }: SimulationOptions): Promise<SimulationReport> {
  const queueId = `sim-${process.pid}-${simulations++}`;
  const settings: LineSettings = {
    mode: "active",
    maxActive: Math.max(1, Math.round(visitors / 8)),
    rate: 2,
    burst: 3,
    sessionTtlSeconds: 30,
    claimSeconds: 10,
    heartbeatTtlSeconds: 20,
    maxQueueSize: visitors * 2,
    event: null,
  };
  const world = await openWorld({ url, seed, queueId, settings, ...(mutate === undefined ? {} : { mutate }) });
  try {
    const isRush = world.random.chance(RUSH_CHANCE);
    await world.configure(isRush ? rushSettings(world.random, visitors) : randomSettings(world.random, visitors));
    const stormEndMs = START_MS + Math.max(STORM_MS_MIN, visitors * STORM_MS_PER_VISITOR);
    const crowd = sendCrowd(world, { visitors, stormEndMs, burstMs: isRush ? RUSH_MS : BURST_MS_MAX });
    planIncidents(world, { visitors, stormEndMs });
    await world.run(stormEndMs);
    await calm(world, { visitors, crowd });
    return {
      seed,
      steps: world.stepCount(),
      admissions: world.auditor.admissions(),
      simulatedMs: world.nowMs() - START_MS,
    };
  } finally {
    world.close();
  }
}

type CrowdPlan = { readonly visitors: number; readonly stormEndMs: number; readonly burstMs: number };

function sendCrowd(world: World, { visitors, stormEndMs, burstMs: spreadMs }: CrowdPlan): Visitor[] {
  const { random } = world;
  const spanMs = stormEndMs - START_MS;
  const bursts = Array.from(
    { length: random.between(1, BURSTS_MAX) },
    () => START_MS + random.between(0, Math.floor(spanMs * 0.7)),
  );
  return Array.from({ length: visitors }, (_, index) => {
    const lane = random.pick([0, 0, 0, 0, 0, 1, 2, 3]);
    const visitor: Visitor = { name: `v${index}`, lane, isPatient: random.chance(0.5), hasBeenIn: false };
    const burstMs = bursts[random.between(0, bursts.length - 1)] ?? START_MS;
    sendVisitor(world, { visitor, atMs: burstMs + random.between(0, spreadMs) });
    return visitor;
  });
}

/** Changes by operators and faults, until the storm is over. */
function planIncidents(
  world: World,
  { visitors, stormEndMs }: { readonly visitors: number; readonly stormEndMs: number },
): void {
  const { random } = world;
  let drawSpan = FIRST_DRAW_SPAN;
  const nextSpan = () => {
    drawSpan += 2;
    return drawSpan;
  };
  const incident = async () => {
    const kind = random.next();
    if (kind < 0.3) await world.configure(randomSettings(random, visitors));
    else if (kind < 0.6) await world.configure({ event: nextEvent(world, { visitors, drawSpan: nextSpan() }) });
    else if (kind < 0.65) await world.forgetScripts();
    else if (kind < 0.7) world.fallSilent(world.nowMs() + random.between(1, OUTAGE_MS_MAX));
    else await world.call({ verb: "sweep" });
    plan();
  };
  function plan(): void {
    const atMs = world.nowMs() + random.between(1, INCIDENT_EVERY_MS_MAX);
    if (atMs < stormEndMs) world.at(atMs, incident);
  }
  plan();
}

/** Many entries a second and a small burst: entries are granted ahead of time, in the order of places. */
function rushSettings(random: Random, visitors: number): Partial<LineSettings> {
  return {
    mode: "active",
    maxActive: random.pick([visitors, visitors * 2]),
    rate: random.pick([5, 10, 30, 100]),
    burst: random.pick([1, 2, 2, 3]),
    claimSeconds: random.pick([2, 5, 20]),
    sessionTtlSeconds: random.pick([30, 120]),
    maxQueueSize: visitors * 2,
  };
}

function randomSettings(random: Random, visitors: number): Partial<LineSettings> {
  return {
    mode: random.pick(["active", "active", "active", "active", "paused", "drain"]),
    maxActive: random.between(1, Math.max(2, Math.round(visitors / 4))),
    rate: random.pick([0.05, 0.3, 1, 2.5, 10, 100]),
    burst: random.pick([1, 2, 5, 20]),
    claimSeconds: random.pick([2, 5, 20]),
    sessionTtlSeconds: random.pick([10, 30, 120]),
    maxQueueSize: random.pick([visitors * 2, visitors * 2, Math.max(1, Math.round(visitors / 4))]),
  };
}

/** Numbers of a draw are larger than all numbers of the clock, and two spans after the previous draw. */
const FIRST_DRAW_SPAN = 4;
const PREQUEUE_SECONDS_MAX = 20;
const EVENT_SECONDS_MAX = 40;

/** A change that an operator may make: during a draw only its opening and end can move. */
function nextEvent(
  { random, nowMs, settings }: World,
  { visitors, drawSpan }: { readonly visitors: number; readonly drawSpan: number },
): LineEvent | null {
  const before = settings().event;
  const isDrawing = before !== null && before.order !== "fifo" && phaseAt(settings(), nowMs()) === "prequeue";
  // Whole seconds, so that coarse clocks hit the exact moment.
  const opensAtMs = nowMs() + random.between(0, PREQUEUE_SECONDS_MAX) * 1_000;
  const closesAtMs = random.chance(0.5) ? null : opensAtMs + random.between(1, EVENT_SECONDS_MAX) * 1_000;
  if (isDrawing) return { ...before, opensAtMs, closesAtMs };
  if (random.chance(0.2)) return null;
  const prequeueOpensAtMs = random.chance(0.8) ? opensAtMs - random.between(1, PREQUEUE_SECONDS_MAX) * 1_000 : null;
  const order = prequeueOpensAtMs === null ? ("fifo" as const) : random.pick(["fifo", "lottery", "lottery"] as const);
  return { prequeueOpensAtMs, opensAtMs, closesAtMs, order, drawSpan, overrides: randomOverrides(random, visitors) };
}

function randomOverrides(random: Random, visitors: number): LineEvent["overrides"] {
  const { maxActive, rate, burst, sessionTtlSeconds } = randomSettings(random, visitors);
  const all = Object.entries({ maxActive, rate, burst, sessionTtlSeconds });
  return Object.fromEntries(all.filter(() => random.chance(0.5)));
}

/** G4 for the whole line: with enough room, every visitor who keeps polling enters. */
async function calm(
  world: World,
  { visitors, crowd }: { readonly visitors: number; readonly crowd: readonly Visitor[] },
): Promise<void> {
  await world.configure({
    mode: "active",
    maxActive: Math.max(2, Math.round(visitors / 4)),
    rate: 5,
    burst: 5,
    maxQueueSize: visitors * 2,
    event: null,
  });
  world.calmDown();
  await world.run(world.nowMs() + CALM_MS_MAX);
  const left = crowd.filter(({ isPatient, hasBeenIn }) => isPatient && !hasBeenIn);
  if (left.length > 0)
    throw new Objection(`G4: ${left.map(({ name }) => name).join(", ")} kept polling and never entered`);
}
