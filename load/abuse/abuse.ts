import { crowdFaults, crowdOptions, toCrowdOptions } from "../crowd/crowd.ts";
import { runCrowd } from "../crowd/run-crowd.ts";
import { defineScenario } from "../options/define-scenario.ts";
import type { RunContext } from "../options/run-context.ts";
import { openTarget, targetFaults, targetOptions } from "../options/target-options.ts";
import { createRecorder, type Recorder } from "../record/recorder.ts";
import { type RunRecord, VISITOR_ENDS } from "../record/run-record.ts";
import type { Target } from "../target/target.ts";
import { type Attack, openAttackDesk } from "./attack-desk.ts";
import { floods, PLACES_OF_ADDRESS_MAX } from "./floods.ts";
import { forgedTokens } from "./forged-tokens.ts";
import { pathDodges } from "./path-dodges.ts";
import { replays } from "./replays.ts";

const ATTACKS: readonly Attack[] = [forgedTokens, pathDodges, replays, floods];

export const abuseScenario = defineScenario({
  name: "abuse",
  summary: "forged tokens, replays, floods and path dodges, beside an honest crowd",
  options: { ...crowdOptions, ...targetOptions },
  faults: (values) => [...crowdFaults(values), ...targetFaults(values)],
  async run(values, context) {
    const target = await openTarget(values, context, { ticketsPerIp: PLACES_OF_ADDRESS_MAX });
    try {
      const { edges, edge } = values;
      const limits = target.limits ?? {};
      const recorder = createRecorder();
      const attacking = runAttacks({ ...context, target, recorder });
      const crowd = await runCrowd(toCrowdOptions({ ...values, ...limits }), { ...context, target, recorder });
      await attacking;
      checkHonest(recorder, crowd);
      return {
        ...crowd,
        ...recorder.contents(),
        scenario: "abuse",
        settings: { ...crowd.settings, ...limits, edges, edge },
      };
    } finally {
      await target.stop();
    }
  },
});

type Attacking = RunContext & { readonly target: Target; readonly recorder: Recorder };

export async function runAttacks({ target, recorder, signal, clock }: Attacking): Promise<void> {
  const beganMs = performance.now();
  const nowMs = () => performance.now() - beganMs;
  const desk = openAttackDesk({ target, recorder, nowMs, nowSeconds: () => Math.floor(clock.nowMs() / 1_000) });
  try {
    for (const { run } of ATTACKS) {
      if (signal.aborted) return;
      for (const check of await run(desk)) recorder.check(check);
    }
  } finally {
    desk.close();
  }
}

/** Every visitor who followed the rules must be served during the attacks. */
function checkHonest(recorder: Recorder, { visitors, wasInterrupted }: RunRecord): void {
  const turnedAway = visitors.end.filter((end) => ["refused", "failed"].includes(VISITOR_ENDS[end] ?? "")).length;
  const seen = `${turnedAway} of ${visitors.end.length} turned away`;
  recorder.check({
    name: "honest visitors meanwhile",
    expected: "none turned away",
    seen,
    isMet: wasInterrupted || turnedAway === 0,
  });
}
