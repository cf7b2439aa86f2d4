import { expect, it } from "vitest";
import { runDifferential } from "../../kit/engine/differential.ts";
import { mutatedEngine } from "../../kit/engine/mutated-engine.ts";
import { mutations } from "../../kit/engine/mutations.ts";

const SEEDS_MAX = 150;
const COMMANDS = 400;

it("accepts an engine without a mistake", async () => {
  const { createEngine } = await mutatedEngine("no such text", "");
  expect(() => runDifferential({ seed: 1, commands: COMMANDS, createEngine })).not.toThrow();
});

it.each(mutations)("objects when %s", async (_what, right, wrong) => {
  const { createEngine, found } = await mutatedEngine(right, wrong);
  expect(found, "the text to change is in the sources, once").toBe(1);
  expect(firstObjection()).toBeLessThanOrEqual(SEEDS_MAX);

  function firstObjection(): number {
    for (let seed = 1; seed <= SEEDS_MAX; seed++) {
      try {
        runDifferential({ seed, commands: COMMANDS, createEngine });
      } catch {
        return seed;
      }
    }
    return SEEDS_MAX + 1;
  }
});
