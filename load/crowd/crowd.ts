import { defineScenario } from "../options/define-scenario.ts";
import { choice, numberOption, share, wholeNumber } from "../options/option-kinds.ts";
import type { OptionValues } from "../options/option-table.ts";
import { openTarget, shardOption, type TargetValues, targetFaults, targetOptions } from "../options/target-options.ts";
import { CURVES } from "./arrivals.ts";
import type { CrowdOptions } from "./crowd-options.ts";
import { runCrowd } from "./run-crowd.ts";

/** For every scenario with a crowd. */
export const crowdOptions = {
  visitors: wholeNumber("number of visitors", { min: 1, max: 1_000_000, fallback: 1_000 }),
  over: numberOption("seconds in which they arrive", { min: 0.1, max: 86_400, fallback: 20, value: "SECONDS" }),
  curve: choice("a peak that decays, a growing rate, or a constant rate", CURVES, "spike"),
  silent: share("stop polling for good while they wait"),
  return: share("stop polling for some seconds and return"),
  leave: share("leave the line"),
  retry: share("reload the page while they wait"),
  "share-address": share("share one address"),
  requests: wholeNumber("pages that each visitor requests inside", { min: 0, max: 1_000, fallback: 3 }),
  stay: numberOption("seconds that a visitor stays inside, on average", {
    min: 0,
    max: 3_000,
    fallback: 2,
    value: "SECONDS",
  }),
  seed: wholeNumber("the same seed draws the same crowd", { min: 0, max: 2 ** 31, fallback: 1 }),
  shard: shardOption,
} as const;

type CrowdValues = OptionValues<typeof crowdOptions>;

export const crowdScenario = defineScenario({
  name: "crowd",
  summary: "a crowd arrives, waits in line, enters and leaves",
  options: { ...crowdOptions, ...targetOptions },
  faults: (values) => [...crowdFaults(values), ...targetFaults(values)],
  async run(values, context) {
    const target = await openTarget(values, context);
    try {
      const { edges, edge } = values;
      const limits = target.limits ?? {};
      const record = await runCrowd(toCrowdOptions({ ...values, ...limits }), { ...context, target });
      return { ...record, settings: { ...record.settings, ...limits, edges, edge } };
    } finally {
      await target.stop();
    }
  },
});

export function crowdFaults({ silent, return: comeBack, leave }: CrowdValues): readonly string[] {
  return silent + comeBack + leave > 1 ? ["--silent, --return and --leave: together more than 1"] : [];
}

/** On top of twice the time that the line needs: a visit that is not over by then is stuck. */
const SPARE_SECONDS = 60;

export function toCrowdOptions(values: CrowdValues & Pick<TargetValues, "cap" | "rate">): CrowdOptions {
  const { visitors, over, stay, rate, cap } = values;
  const perSecond = Math.min(rate, cap / Math.max(stay, 0.1));
  return {
    visitors,
    overSeconds: over,
    curve: values.curve,
    silentShare: values.silent,
    returnShare: values.return,
    leaveShare: values.leave,
    retryShare: values.retry,
    shareAddressShare: values["share-address"],
    requests: values.requests,
    staySeconds: stay,
    withinSeconds: Math.ceil(over + (2 * visitors) / perSecond + 2 * stay + SPARE_SECONDS),
    seed: values.seed,
    shard: values.shard,
  };
}
