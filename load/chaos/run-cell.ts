import { setTimeout as sleep } from "node:timers/promises";
import { askControl } from "../../origin/operators/ask-control.ts";
import type { Clock } from "../../shared/clock.ts";
import { findProgram } from "../../stack/servers/find-program.ts";
import type { CrowdOptions } from "../crowd/crowd-options.ts";
import { runCrowd } from "../crowd/run-crowd.ts";
import type { Progress } from "../progress/progress.ts";
import { createRecorder, NO_ANSWER } from "../record/recorder.ts";
import type { RunRecord } from "../record/run-record.ts";
import { countAdmittedErrors } from "../verdict/admitted-errors.ts";
import { EVERY_VISIT_ENDED, judge, ORDER_OF_ENTRY } from "../verdict/judge.ts";
import type { Cell, CellResult } from "./cell.ts";
import type { ChaosStack } from "./chaos-stack.ts";
import type { OrderFlow } from "./order-flow.ts";

export type World = { readonly stack: ChaosStack; readonly flow: OrderFlow; readonly clock: Clock };

/** Visitors wait and orders flow before the fault. */
const FAULT_AFTER_MS = 1_500;
/** Bounds for a busy machine; the table has the measured times. */
const RECOVERED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;

const QUIET: Progress = { say: () => {}, show: () => {}, end: () => {} };

/** Injects one fault under load, ends it, and checks visitors, orders and money. */
export async function runCell(cell: Cell, world: World, crowd: CrowdOptions): Promise<CellResult> {
  if (cell.needs !== undefined && findProgram(cell.needs) === undefined) {
    return { cell, seen: `${cell.needs} is not installed`, outcome: "not injectable here" };
  }
  const { stack, flow, clock } = world;
  const recorder = createRecorder();
  const beganMs = performance.now();
  const nowMs = () => Math.round(performance.now() - beganMs);
  await flow.forget();
  const over = new AbortController();
  const visited = runCrowd(crowd, { target: stack.target, signal: over.signal, progress: QUIET, clock, recorder });
  try {
    await sleep(FAULT_AFTER_MS);
    const atMs = nowMs();
    const heal = await cell.inject(stack);
    const meanwhile = await letItLast(cell, flow);
    const told = await heal();
    const healedMs = nowMs();
    recorder.fault({ atMs, untilMs: healedMs, what: cell.name });
    await untilServing(world);
    const recoveredMs = nowMs() - healedMs;
    const record = await visited;
    return await look(cell, world, { record, recoveredMs, meanwhile, told });
  } catch (error) {
    over.abort();
    await visited;
    return { cell, seen: error instanceof Error ? error.message : String(error), outcome: "fail" };
  }
}

/**
 * How many orders are acknowledged during the fault. Where some must be, the fault lasts until there are: on a machine
 * that stalls, a short fault would be over before the first answer.
 */
async function letItLast({ lastsMs, isTradingOn = false }: Cell, flow: OrderFlow): Promise<number> {
  const before = flow.acknowledged();
  const deadline = performance.now() + lastsMs + RECOVERED_WITHIN_MS;
  await sleep(lastsMs);
  while (isTradingOn && flow.acknowledged() === before && performance.now() < deadline) await sleep(LOOK_EVERY_MS);
  return flow.acknowledged() - before;
}

/** Every edge is healthy, and a new order is acknowledged. */
async function untilServing({ stack, flow }: World): Promise<void> {
  const deadline = performance.now() + RECOVERED_WITHIN_MS;
  await stack.untilHealthy(RECOVERED_WITHIN_MS);
  const before = flow.acknowledged();
  while (flow.acknowledged() === before) {
    if (performance.now() > deadline)
      throw new Error(
        `no order was acknowledged within ${RECOVERED_WITHIN_MS / 1_000} s after the fault: ${flow.lastRefusal()}`,
      );
    await sleep(LOOK_EVERY_MS);
  }
}

type Outcome = {
  readonly record: RunRecord;
  readonly recoveredMs: number;
  /** How many orders were acknowledged during the fault. */
  readonly meanwhile: number;
  readonly told: string | undefined;
};

const GATE_LINES = ["over-admission", ORDER_OF_ENTRY, EVERY_VISIT_ENDED];

async function look(
  cell: Cell,
  { stack, flow }: World,
  { record, recoveredMs, meanwhile, told }: Outcome,
): Promise<CellResult> {
  const acknowledged = flow.acknowledged();
  const unanswered = await flow.settle(RECOVERED_WITHIN_MS);
  const lost = await flow.lost(RECOVERED_WITHIN_MS);
  const audit = await auditOf(stack.folder);
  const gate = judge(record).lines.filter(({ name }) => GATE_LINES.includes(name));
  const faults = [
    ...gate.filter(({ isMet }) => !isMet).map(({ name, seen }) => `${name}: ${seen}`),
    ...(gate.length < 2 ? ["the line was not watched"] : []),
    ...(cell.passesHold === true ? passFaults(record) : []),
    ...(unanswered > 0 ? [`${unanswered} orders never answered`] : []),
    ...lost.map((order) => `lost: ${order}`),
    ...tradingFaults(cell, meanwhile),
    ...auditFaults(cell, audit),
  ];
  const figures = [
    ...(told === undefined ? [] : [told]),
    `${meanwhile} orders acknowledged during the fault`,
    `serves again ${(recoveredMs / 1_000).toFixed(1)} s after the repair`,
    `${acknowledged} orders acknowledged so far, 0 lost`,
    `audit ${cell.faultOfAudit === undefined ? "clean" : "as expected"}`,
  ].join("; ");
  return {
    cell,
    seen: faults.length === 0 ? figures : faults.join("; "),
    outcome: faults.length === 0 ? "pass" : "fail",
  };
}

/** The gate's errors have a code; a plain 5xx comes from the runtime. */
function passFaults(record: RunRecord): readonly string[] {
  const { count, of, what } = countAdmittedErrors(record);
  const failed = count > 0 ? [`${count} of ${of} requests with a pass failed: ${what}`] : [];
  const foreign = Object.entries(record.requests).flatMap(([kind, { answers }]) =>
    Object.entries(answers)
      .filter(([answer]) => answer === NO_ANSWER || /^5\d\d$/.test(answer))
      .map(([answer, count]) => `${kind}: “${answer}” × ${count}, not from the gate`),
  );
  return [...failed, ...foreign];
}

function tradingFaults({ isTradingOn }: Cell, meanwhile: number): readonly string[] {
  if (isTradingOn === true && meanwhile === 0) return ["no order was acknowledged during the fault"];
  if (isTradingOn === false && meanwhile > 0) return [`${meanwhile} orders were acknowledged during the fault`];
  return [];
}

function auditFaults({ faultOfAudit }: Cell, { isClean, text }: Audit): readonly string[] {
  if (faultOfAudit === undefined) return isClean ? [] : [`audit: ${text}`];
  const fault = faultOfAudit(text);
  return fault === undefined ? [] : [fault];
}

type Audit = { readonly isClean: boolean; readonly text: string };

/** As `npm run audit` asks for it. */
async function auditOf(folder: string): Promise<Audit> {
  const answer = await askControl(folder, "/audit", { folder: "" });
  if (answer === undefined) return { isClean: false, text: "the venue is not running" };
  if ("refused" in answer) return { isClean: false, text: answer.refused };
  if (!("said" in answer)) return { isClean: false, text: "the venue gave an unexpected answer" };
  return { isClean: answer.code === 0, text: answer.said };
}
