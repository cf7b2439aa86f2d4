import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { simulateEngine } from "../../kit/engine/simulate-engine.ts";
import { Objection } from "../../kit/objection.ts";
import { fail, ok } from "../../shared/result.ts";
import { complain, readArgs, runCommand } from "../../stack/program/command-line.ts";
import { startRedisServer } from "../../stack/servers/redis-server.ts";
import { simulateKills } from "../ledger/simulate-kills.ts";
import { simulate } from "./simulate.ts";

const USAGE = `npm run sim -- [--seeds N] [--seed S] [--visitors V]   N lines of V visitors each
npm run sim -- engine [--seeds N] [--seed S]           the engine against the naive venue
npm run sim -- ledger [--kills N] [--seed S]           kills every part of a venue that trades, then audits it

Begins with seed S (random by default) and stops at the first broken promise. The printed seed replays exactly.
All of these are whole numbers.`;

const args = process.argv.slice(2);
process.exit(await runCommand({ usage: USAGE, args, run: main }));

async function main(): Promise<number> {
  const options = readOptions();
  if (!options.ok) return complain(options.reason);
  const { subject, seeds, seed: firstSeed, visitors, kills } = options.value;
  if (subject === "ledger") return simulateKills({ seed: firstSeed, kills, print });
  if (subject === "engine") return simulateEngine({ firstSeed, seeds, print });
  const folder = await mkdtemp(join(tmpdir(), "sluice-sim-"));
  const redis = await startRedisServer({ folder, fsync: "no" });
  try {
    await runSeeds({ url: redis.url, first: firstSeed, count: seeds, visitors });
    return 0;
  } catch (error) {
    if (!(error instanceof Objection)) throw error;
    print(error.message);
    print(
      `Run it again with: npm run sim -- --seeds 1 --seed ${/seed (\d+)/.exec(error.message)?.[1]} --visitors ${visitors}`,
    );
    return 1;
  } finally {
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Seeds = { readonly url: string; readonly first: number; readonly count: number; readonly visitors: number };

async function runSeeds({ url, first, count, visitors }: Seeds): Promise<void> {
  let steps = 0;
  for (let seed = first; seed < first + count; seed++) {
    const report = await simulate({ url, seed, visitors });
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

function readOptions() {
  const anySeed = String(Math.floor(Math.random() * 2 ** 31));
  const number = (byDefault: string) => ({ type: "string", default: byDefault }) as const;
  const options = { seeds: number("100"), seed: number(anySeed), kills: number("200"), visitors: number("60") };
  const read = readArgs({ args, allowPositionals: true, options });
  if (!read.ok) return read;
  const { values, positionals } = read.value;
  const [subject, ...more] = positionals;
  if (more.length > 0 || !["engine", "ledger", undefined].includes(subject))
    return fail(`Not understood: ${positionals.join(" ")}; --help lists the options.`);
  const { seeds, seed, kills, visitors } = values;
  if ([seeds, seed, kills, visitors].some((text) => !/^\d{1,10}$/.test(text)))
    return fail("All options are whole numbers.");
  return ok({ subject, seeds: Number(seeds), seed: Number(seed), kills: Number(kills), visitors: Number(visitors) });
}
