import { crowdFaults, crowdOptions, toCrowdOptions } from "../crowd/crowd.ts";
import { defineScenario } from "../options/define-scenario.ts";
import { numberOption, wholeNumber } from "../options/option-kinds.ts";
import { queueOf, targetOptions } from "../options/target-options.ts";
import { startTarget } from "../target/start-target.ts";
import { tradeOptions, tradersFor } from "../trade/trade.ts";
import { runOpening } from "./run-opening.ts";

const { requests: _requests, shard: _shard, ...whoComes } = crowdOptions;
const { cap, rate, burst, edge, edges, url } = targetOptions;
/** Listed, so that the refusal can give the reason. */
const NO_URL = {
  ...url,
  help: "not available: the bell sets the opening time of a queue, and a given gate is never changed",
};
const { traders, mix, pairs } = tradeOptions;

export const openingScenario = defineScenario({
  name: "opening",
  summary: "a crowd waits for the bell, enters in turn, and its orders open the market by auction",
  options: {
    ...whoComes,
    bell: numberOption("seconds from the first possible arrival to the opening", {
      min: 1,
      max: 3_600,
      fallback: 20,
      value: "SECONDS",
    }),
    auction: numberOption(
      "seconds from the queue's opening to that of the pairs, which collect orders until then; 0 for none",
      {
        min: 0,
        max: 3_600,
        fallback: 15,
        value: "SECONDS",
      },
    ),
    orders: wholeNumber("orders of each visitor inside", { min: 1, max: 1_000, fallback: 3 }),
    ...{ traders, mix, pairs, cap, rate, burst, edge, edges, url: NO_URL },
  },
  faults: (values) => [
    ...crowdFaults({ ...values, ...WHOLE }),
    ...(values.url === undefined
      ? []
      : ["--url: not with opening, which sets when a queue opens and starts its own stack"]),
  ],
  async run(values, context) {
    context.progress.say("Starting a stack for this run");
    const target = await startTarget({
      edge: values.edge,
      edges: values.edges,
      queue: queueOf(values),
      signal: context.signal,
      say: context.progress.say,
    });
    try {
      const crowd = toCrowdOptions({ ...values, ...WHOLE });
      // Enough for all visitors who can be inside at once.
      const count = tradersFor(values.traders, (values.cap * values.orders) / Math.max(1, values.stay));
      const trade = {
        actionsPerSecond: 0,
        seconds: 0,
        traders: Math.min(count, TRADERS_MAX),
        mix: values.mix,
        pairs: values.pairs,
        batch: 1,
        isDirect: true,
        seed: values.seed,
        shard: crowd.shard,
      };
      const options = {
        crowd: { ...crowd, withinSeconds: crowd.withinSeconds + values.bell },
        trade,
        bellSeconds: values.bell,
        ordersEach: values.orders,
        auctionSeconds: values.auction,
      };
      const record = await runOpening(options, { ...context, target });
      return {
        ...record,
        settings: { ...record.settings, ...target.limits, edges: values.edges, edge: values.edge },
      };
    } finally {
      await target.stop();
    }
  },
});

/** Accounts take time to open, and several visitors can share one. */
const TRADERS_MAX = 200;
const WHOLE = { requests: 0, shard: { index: 1, count: 1 } } as const;
