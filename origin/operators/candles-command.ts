import { parseArgs } from "node:util";
import { z } from "zod";
import { complain } from "../../stack/program/command-line.ts";
import type { Repaired } from "../market/history/repair-candles.ts";
import { askControl } from "./ask-control.ts";

export const CANDLES_USAGE = `npm run sluice -- candles rebuild --pair PAIR --from DATE [--to DATE]
  Makes the closed candles of a pair again from the ledger, in Redis and in PostgreSQL, for whole days (UTC), while the
  venue runs. DATE is as in 2026-01-31. A regular audit that finds a difference does this for all market data by itself.
SLUICE_DATA_DIR names the data folder of the running venue, as for npm start.`;

export const repairRangeSchema = z
  .strictObject({ pair: z.string().regex(/^[a-z0-9]{2,24}$/), from: z.int().min(0), to: z.int().min(0) })
  .refine(({ from, to }) => from <= to, { path: ["to"], message: "is before from" });

export const repairedText = ({ trades, bars }: Repaired) => `Rebuilt ${bars} bars from ${trades} trades.`;

type Surroundings = {
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly nowMs: () => number;
};

export async function runCandlesCommand(
  [verb, ...args]: readonly string[],
  { environment, say, nowMs }: Surroundings,
): Promise<number> {
  if (verb !== "rebuild") return complain("Only candles rebuild is known; --help tells how it is used.");
  const range = readRange(args, nowMs());
  if (typeof range === "string") return complain(range);
  const answer = await askControl(environment["SLUICE_DATA_DIR"] ?? ".sluice", "/candles", range);
  if (answer === undefined) return complain("No venue runs with this data folder: start it first.", 1);
  if ("said" in answer) {
    say(answer.said);
    return answer.code;
  }
  return complain(`Not rebuilt: ${"refused" in answer ? answer.refused : "the venue did not answer"}.`, 1);
}

const DATE = /^\d{4}-\d\d-\d\d$/;

/** The range, or the fault in the arguments. */
function readRange(args: readonly string[], nowMs: number): z.output<typeof repairRangeSchema> | string {
  const options = { pair: { type: "string" }, from: { type: "string" }, to: { type: "string" } } as const;
  let values: { pair?: string; from?: string; to?: string };
  try {
    values = parseArgs({ args: [...args], options }).values;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}; --help lists the options.`;
  }
  const { pair = "", from = "", to } = values;
  if (!DATE.test(from) || (to !== undefined && !DATE.test(to))) return "--from and --to are dates, as in 2026-01-31.";
  const range = repairRangeSchema.safeParse({
    pair,
    from: Date.parse(from),
    to: to === undefined ? nowMs : Date.parse(to),
  });
  return range.success ? range.data : `--${range.error.issues[0]?.path.join() ?? "pair"} is invalid.`;
}
