import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../kit/random.ts";
import { crowdFaults, crowdOptions, toCrowdOptions } from "../crowd/crowd.ts";
import { runCrowd } from "../crowd/run-crowd.ts";
import { defineScenario } from "../options/define-scenario.ts";
import { numberOption } from "../options/option-kinds.ts";
import { queueOf, targetOptions } from "../options/target-options.ts";
import { createRecorder, type Recorder } from "../record/recorder.ts";
import { faultMatrix } from "./cells.ts";
import { type ChaosStack, startChaosStack } from "./chaos-stack.ts";

const { cap, rate, burst } = targetOptions;
/** Time for the visitors whom the faults have delayed. */
const SPARE_SECONDS = 120;
/** So that several faults fit into a run. */
const FAULT_MS_MAX = 6_000;

/** A crowd under faults, one after the other, in the order that the seed draws. */
export const chaosScenario = defineScenario({
  name: "chaos",
  summary: "a crowd arrives while parts of the stack are killed, stopped and disconnected",
  options: {
    ...crowdOptions,
    ...{ cap, rate, burst },
    "fault-every": numberOption("seconds between two faults", { min: 1, max: 3_600, fallback: 5, value: "SECONDS" }),
  },
  faults: crowdFaults,
  async run(values, context) {
    context.progress.say("Starting a stack of thirteen parts for this run");
    const stack = await startChaosStack({ queue: queueOf(values) });
    const recorder = createRecorder();
    const over = new AbortController();
    try {
      const options = toCrowdOptions(values);
      const breaking = breakParts({
        stack,
        recorder,
        seed: values.seed,
        everyMs: values["fault-every"] * 1_000,
        signal: over.signal,
      });
      const crowd = { ...options, withinSeconds: options.withinSeconds + SPARE_SECONDS };
      const record = await runCrowd(crowd, { ...context, target: stack.target, recorder });
      over.abort();
      await breaking;
      const settings = { ...record.settings, ...stack.target.limits };
      return { ...record, scenario: "chaos", settings, faults: recorder.contents().faults };
    } finally {
      over.abort();
      await stack.stop();
    }
  },
});

type Breaking = {
  readonly stack: ChaosStack;
  readonly recorder: Recorder;
  readonly seed: number;
  readonly everyMs: number;
  readonly signal: AbortSignal;
};

async function breakParts({ stack, recorder, seed, everyMs, signal }: Breaking): Promise<void> {
  const random = seededRandom(seed);
  const [first, ...others] = faultMatrix(random).filter(
    ({ needs, needsOrders = false }) => needs === undefined && !needsOrders,
  );
  const beganMs = performance.now();
  const nowMs = () => Math.round(performance.now() - beganMs);
  while (first !== undefined) {
    await sleep(everyMs * (0.5 + random.next()), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const { name, inject, lastsMs } = random.pick([first, ...others]);
    const atMs = nowMs();
    const heal = await inject(stack);
    await sleep(Math.min(lastsMs, FAULT_MS_MAX));
    await heal();
    recorder.fault({ atMs, untilMs: nowMs(), what: name });
  }
}
