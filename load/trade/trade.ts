import { z } from "zod";
import { defineScenario } from "../options/define-scenario.ts";
import { flag, numberOption, wholeNumber } from "../options/option-kinds.ts";
import type { Option, OptionValues } from "../options/option-table.ts";
import { openTarget, shardOption, targetFaults, targetOptions } from "../options/target-options.ts";
import { mixOption } from "./mix.ts";
import { runTrade } from "./run-trade.ts";
import type { TradeOptions } from "./trade-options.ts";

const pairsOption: Option<readonly [string, ...string[]]> = {
  value: "PAIRS",
  help: "pairs to trade, with commas between them (btcidr,ethidr)",
  schema: z
    .string()
    .regex(/^[a-z0-9]{2,24}(,[a-z0-9]{2,24})*$/, "must be pairs in small letters, such as btcidr,ethusdt")
    .default("btcidr,ethidr")
    .transform((written) => {
      const [first = "", ...others] = written.split(",");
      return [first, ...others] as const;
    }),
};

/** For every scenario with trading. */
export const tradeOptions = {
  traders: wholeNumber("accounts that trade; 0: as many as the rate needs", { min: 0, max: 5_000, fallback: 0 }),
  mix: mixOption,
  pairs: pairsOption,
} as const;

const { cap: _cap, rate: _rate, burst: _burst, ...placeOptions } = targetOptions;

export const RATE_HELP =
  "orders and cancellations per second, counted together; with the default mix about two thirds are orders";

const options = {
  rate: numberOption(RATE_HELP, { min: 0.1, max: 100_000, fallback: 100 }),
  seconds: numberOption("how long the flow lasts", { min: 0.5, max: 3_000, fallback: 20, value: "SECONDS" }),
  ...tradeOptions,
  batch: wholeNumber("limit orders in one request", { min: 1, max: 100, fallback: 1 }),
  direct: flag("past the gate, straight to the origin"),
  seed: wholeNumber("the same seed draws the same orders", { min: 0, max: 2 ** 31, fallback: 1 }),
  shard: shardOption,
  ...placeOptions,
} as const;

/** A quarter of what the venue's rate limit allows one API key. */
const ORDERS_PER_TRADER_SECOND = 25;
const TRADERS_MIN = 8;

export function tradersFor(traders: number, actionsPerSecond: number): number {
  return traders === 0 ? Math.max(TRADERS_MIN, Math.ceil(actionsPerSecond / ORDERS_PER_TRADER_SECOND)) : traders;
}

export const tradeScenario = defineScenario({
  name: "trade",
  summary: "a steady flow of orders from traders inside, then an audit of the venue",
  options,
  faults: (values) => [
    ...targetFaults({ ...values, ...UNUSED }),
    ...(values.direct && values.url !== undefined ? ["--direct: not with --url"] : []),
  ],
  async run(values, context) {
    if (values.url !== undefined) context.progress.say(`Using ${values.url}`);
    const chosen = toTradeOptions(values);
    // All traders are inside all the time: how the gate handles a crowd is another scenario.
    const target = await openTarget({ ...values, ...UNUSED, cap: chosen.traders + SPARE_SLOTS }, context);
    try {
      return await runTrade(chosen, { ...context, target, folder: values["data-dir"] });
    } finally {
      await target.stop();
    }
  },
});

const SPARE_SLOTS = 10;
const UNUSED = { cap: 1, rate: 1_000, burst: 1_000 } as const;

function toTradeOptions(values: OptionValues<typeof options>): TradeOptions {
  const { rate, seconds, traders, mix, pairs, batch, direct, seed, shard } = values;
  return {
    actionsPerSecond: rate,
    seconds,
    traders: tradersFor(traders, rate),
    mix,
    pairs,
    batch,
    isDirect: direct,
    seed,
    shard,
  };
}
