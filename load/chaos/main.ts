import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { seededRandom } from "../../kit/random.ts";
import { systemClock } from "../../shared/clock.ts";
import { listenForStop } from "../../stack/listen-for-stop.ts";
import { complain, readArgs, runCommand } from "../../stack/program/command-line.ts";
import { faultMatrix } from "./cells.ts";
import { withResults } from "./matrix-table.ts";
import { runMatrix } from "./run-matrix.ts";

/**
 * `npm run chaos`: every cell of the fault matrix on a whole stack under load. Exits with 1 if a cell fails. The table
 * goes to docs/failures.md; `--only WORDS` runs the cells whose name contains these words, `--quick` those that run
 * with the tests.
 */
const PAGE = fileURLToPath(new URL("../../docs/failures.md", import.meta.url));
const USAGE = `npm run chaos -- [--only WORDS] [--quick] [--seed N] [--list]
  Every cell of the fault matrix on a whole stack under load; the table goes to docs/failures.md. Exits with 1 if a cell fails.

  --only WORDS  the cells with these words in their name
  --quick       the cells that run with the tests
  --seed N      a whole number (1)
  --list        the names of the cells`;

const args = process.argv.slice(2);
process.exitCode = await runCommand({ usage: USAGE, args, run: main });
process.exit();

async function main(): Promise<number> {
  const options = {
    only: { type: "string" },
    quick: { type: "boolean" },
    seed: { type: "string" },
    list: { type: "boolean" },
  } as const;
  const read = readArgs({ args, options });
  if (!read.ok) return complain(read.reason);
  const { only = "", quick = false, seed = "1", list = false } = read.value.values;
  if (!/^\d{1,9}$/.test(seed)) return complain("--seed must be a whole number.");
  const matrix = faultMatrix(seededRandom(Number(seed)));
  const names = matrix.map(({ name }) => name);
  if (list) return say(names.join("\n"), 0);
  const cells = matrix.filter(
    ({ name, isQuick = false }) => name.toLowerCase().includes(only.toLowerCase()) && (isQuick || !quick),
  );
  if (cells.length === 0) return complain(`--only: no cell has ${only} in its name; --list prints the names.`);
  const results = await runMatrix({
    cells,
    seed: Number(seed),
    clock: systemClock,
    say: (line) => void say(line, 0),
    signal: listenForStop(),
  });
  await writeFile(PAGE, withResults(await readFile(PAGE, "utf8"), results, names));
  const failed = results.filter(({ outcome }) => outcome === "fail").length;
  return say(
    `${results.length - failed} of ${results.length} cells passed; the table is in docs/failures.md`,
    failed === 0 ? 0 : 1,
  );
}

function say(line: string, exitCode: number): number {
  process.stdout.write(`${line}\n`);
  return exitCode;
}
