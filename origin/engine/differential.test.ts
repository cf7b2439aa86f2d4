import { describe, expect, it } from "vitest";
import { runDifferential, type Tally } from "../../kit/engine/differential.ts";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { createEngine } from "./engine.ts";

/** `npm run sim -- engine` runs any number of seeds. */
const SEEDS_PER_TEST = 12;
const TESTS = IS_FULL_RUN ? 25 : 5;
const COMMANDS = 500;

const seen: Tally = new Map();

describe("the engine and the naive venue answer and hold the same, command by command", () => {
  it.each(Array.from({ length: TESTS }, (_, index) => index * SEEDS_PER_TEST + 1))(
    `in ${SEEDS_PER_TEST} venues from seed %i on`,
    (firstSeed) => {
      for (let seed = firstSeed; seed < firstSeed + SEEDS_PER_TEST; seed++) {
        for (const [what, times] of runDifferential({ seed, commands: COMMANDS, createEngine }))
          seen.set(what, (seen.get(what) ?? 0) + times);
      }
      expect(seen.get("trade")).toBeGreaterThan(100);
    },
  );

  it("and every refusal and every end of an order occurred", () => {
    const refusals =
      "command_invalid pair_unknown pair_halted pair_changed user_frozen currency_unknown value_below_minimum value_too_large " +
      "price_outside_band post_only_would_trade fill_or_kill_unfillable no_liquidity self_trade balance_insufficient open_orders_limit " +
      "amount_too_large order_unknown order_not_open client_order_id_reused reference_reused terms_invalid currency_fixed " +
      "pair_has_orders engine_full would_trigger_immediately trigger_price_missing trailing_invalid expiry_invalid " +
      "percentage_invalid list_orders_invalid list_prices_invalid amend_upward amend_without_effect amend_below_filled " +
      "amend_unsupported cancel_after_invalid list_unknown list_not_active";
    const ends = ["open", "partiallyFilled", "filled", "filled fundsSpent"];
    const reasons = ["immediateOrCancel", "selfTrade", "noLiquidity", "priceBand", "tooManyFills"].map(
      (reason) => `cancelled ${reason}`,
    );
    const later = ["filled", "failed noLiquidity", "failed fillOrKill", "cancelled expired", "cancelled cancelAfter"];
    const lists = ["listed cancelled list", "listed filled", "listed stopped", "listed cancelled exitBegun"];
    const conditional = [...later.map((end) => `conditional ${end}`), ...lists, "exit that sold"];
    const kinds = ["repetition", "hasMore", "list", "replaced", "cancelAfter"];
    const wanted = [...refusals.split(" "), ...ends, ...reasons, ...conditional, ...kinds];
    expect(wanted.filter((what) => !seen.has(what))).toEqual([]);
  });
});

it("a seed repeats the same run", () => {
  const options = { seed: 42, commands: COMMANDS, createEngine };
  expect(runDifferential(options)).toEqual(runDifferential(options));
});
