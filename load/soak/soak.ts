import { defineScenario } from "../options/define-scenario.ts";
import { flag, numberOption, wholeNumber } from "../options/option-kinds.ts";
import { targetOptions } from "../options/target-options.ts";
import { startTarget } from "../target/start-target.ts";
import { RATE_HELP, tradeOptions, tradersFor } from "../trade/trade.ts";
import { runSoak } from "./run-soak.ts";

const SPARE_SLOTS = 10;
const { edge } = targetOptions;

/** `npm run soak`: a leak that is small in half an hour fills a machine in a month. */
export const soakScenario = defineScenario({
  name: "soak",
  summary: "a steady flow of orders for half an hour; checks that memory, files and stalls stay within bounds",
  options: {
    // A pass is valid for an hour, so no trader has to enter again during the run.
    minutes: numberOption("how long the flow lasts", { min: 0.05, max: 55, fallback: 30, value: "MINUTES" }),
    rate: numberOption(RATE_HELP, { min: 1, max: 100_000, fallback: 1_500 }),
    every: numberOption("seconds between two samples of the machine", {
      min: 0.2,
      max: 60,
      fallback: 5,
      value: "SECONDS",
    }),
    audit: wholeNumber("minutes between two audits of the venue", { min: 1, max: 60, fallback: 3, value: "MINUTES" }),
    ...tradeOptions,
    batch: wholeNumber("limit orders in one request", { min: 1, max: 100, fallback: 1 }),
    direct: flag("past the gate, straight to the origin"),
    seed: wholeNumber("the same seed draws the same orders", { min: 0, max: 2 ** 31, fallback: 1 }),
    edge,
  },
  async run(values, context) {
    const { minutes, rate, every, mix, pairs, batch, direct, seed } = values;
    const traders = tradersFor(values.traders, rate);
    context.progress.say("Starting a stack for this run");
    const queue = { maxActive: traders + SPARE_SLOTS, admissionRate: 1_000, admissionBurst: 1_000 };
    const environment = { SLUICE_AUDIT_MINUTES: String(values.audit) };
    const target = await startTarget({
      edge: values.edge,
      environment,
      queue,
      signal: context.signal,
      say: context.progress.say,
    });
    const shard = { index: 1, count: 1 };
    const options = {
      actionsPerSecond: rate,
      seconds: minutes * 60,
      traders,
      mix,
      pairs,
      batch,
      isDirect: direct,
      seed,
      shard,
    };
    try {
      return await runSoak(options, { ...context, target, everyMs: every * 1_000 });
    } finally {
      await target.stop();
    }
  },
});
