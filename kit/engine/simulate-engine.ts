import { createEngine } from "../../origin/engine/engine.ts";
import { Objection } from "../objection.ts";
import { runDifferential } from "./differential.ts";

type Run = { readonly firstSeed: number; readonly seeds: number; readonly print: (text: string) => void };

const COMMANDS_PER_SEED = 500;
const SEEDS_PER_LINE = 100;

/** Runs one seed after the other until there is an objection. Returns the exit code. */
export function simulateEngine({ firstSeed, seeds, print }: Run): number {
  const seen = new Map<string, number>();
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    try {
      for (const [what, times] of runDifferential({ seed, commands: COMMANDS_PER_SEED, createEngine })) {
        seen.set(what, (seen.get(what) ?? 0) + times);
      }
    } catch (error) {
      if (!(error instanceof Objection)) throw error;
      print(error.message);
      print(`Run it again with: npm run sim -- engine --seeds 1 --seed ${seed}`);
      return 1;
    }
    const done = seed - firstSeed + 1;
    if (done % SEEDS_PER_LINE === 0) print(`${done} seeds, ${done * COMMANDS_PER_SEED} commands`);
  }
  for (const [what, times] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1))) print(`  ${what}: ${times}`);
  print(`${seeds} seeds from ${firstSeed} on, ${seeds * COMMANDS_PER_SEED} commands, no objection.`);
  return 0;
}
