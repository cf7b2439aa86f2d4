import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startRedisServer } from "../../origin/stack/redis-server.ts";
import { simulateEngine } from "../engine/simulate-engine.ts";
import { simulateKills } from "../ledger/simulate-kills.ts";
import { Objection } from "./objection.ts";
import { simulate } from "./simulate.ts";

const USAGE = `npm run sim -- [--seeds N] [--seed S] [--visitors V]   N lines of V visitors each
npm run sim -- engine [--seeds N] [--seed S]           the engine against the naive venue
npm run sim -- ledger [--kills N] [--seed S]           kills every part of a venue that trades, then audits it

Begins with seed S (any, if none is given) and stops at the first broken promise. The seed that it prints replays exactly.
All of these are whole numbers.`;

const { values, positionals } = readOptions() ?? sayUsage();
const { seeds, seed: firstSeed, visitors, kills } = values;

if (positionals[0] === "ledger") process.exit(await simulateKills({ seed: firstSeed, kills, print }));
if (positionals[0] === "engine") process.exit(simulateEngine({ firstSeed, seeds, print }));

const folder = await mkdtemp(join(tmpdir(), "sluice-sim-"));
const redis = await startRedisServer({ folder, fsync: "no" });
try {
  await runSeeds(firstSeed, seeds);
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
    const report = await simulate({ url: redis.url, seed, visitors });
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

/** Undefined when there is something in it that is not understood. */
function readOptions() {
  const anySeed = String(Math.floor(Math.random() * 2 ** 31));
  const number = (byDefault: string) => ({ type: "string", default: byDefault }) as const;
  try {
    const options = { seeds: number("100"), seed: number(anySeed), kills: number("200"), visitors: number("60") };
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const { seeds, seed, kills, visitors } = values;
    const isUnderstood = positionals.length <= 1 && ["engine", "ledger", undefined].includes(positionals[0]);
    if (!isUnderstood || [seeds, seed, kills, visitors].some((text) => !/^\d{1,10}$/.test(text))) return undefined;
    return { positionals, values: { seeds: Number(seeds), seed: Number(seed), kills: Number(kills), visitors: Number(visitors) } };
  } catch {
    return undefined;
  }
}

function sayUsage(): never {
  print(USAGE);
  process.exit(2);
}
