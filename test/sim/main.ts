import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startRedisServer } from "../../origin/stack/redis-server.ts";
import { simulateEngine } from "../engine/simulate-engine.ts";
import { simulateKills } from "../ledger/simulate-kills.ts";
import { Objection } from "./objection.ts";
import { simulate } from "./simulate.ts";

/**
 * `npm run sim -- engine [--seeds N] [--seed S]` runs the engine against the naive venue (test/engine/).
 * `npm run sim -- ledger [--kills N] [--seed S]` kills every part of a venue that trades, then audits it (test/ledger/).
 * `npm run sim -- [--seeds N] [--seed S] [--visitors V]`: simulates N lines of V visitors each, beginning with seed S
 * (a random one if none is given), and stops at the first broken promise. The seed that it prints replays exactly.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "100" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    kills: { type: "string", default: "200" },
    visitors: { type: "string", default: "60" },
  },
});
const [seeds, firstSeed, visitors] = [values.seeds, values.seed, values.visitors].map(Number);
if (!(Number.isSafeInteger(seeds) && Number.isSafeInteger(firstSeed) && Number.isSafeInteger(visitors))) {
  print("--seeds, --seed and --visitors take whole numbers.");
  process.exit(2);
}

if (positionals[0] === "ledger") process.exit(await simulateKills({ seed: firstSeed ?? 0, kills: Number(values.kills), print }));
if (positionals[0] === "engine") process.exit(simulateEngine({ firstSeed: firstSeed ?? 0, seeds: seeds ?? 0, print }));

const folder = await mkdtemp(join(tmpdir(), "sluice-sim-"));
const redis = await startRedisServer({ folder, fsync: "no" });
try {
  await runSeeds(firstSeed ?? 0, seeds ?? 0);
} catch (error) {
  if (!(error instanceof Objection)) throw error;
  print(error.message);
  print(`Run it again with: npm run sim -- --seeds 1 --seed ${/seed (\d+)/.exec(error.message)?.[1]} --visitors ${visitors}`);
  process.exitCode = 1;
} finally {
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
}

async function runSeeds(first: number, count: number): Promise<void> {
  let steps = 0;
  for (let seed = first; seed < first + count; seed++) {
    const report = await simulate({ url: redis.url, seed, visitors: visitors ?? 0 });
    steps += report.steps;
    print(
      `seed ${seed}: ${report.steps} steps, ${report.admissions} admissions in ${Math.round(report.simulatedMs / 1_000)} simulated seconds`,
    );
  }
  print(`${count} seeds, ${steps} steps, no objection.`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
