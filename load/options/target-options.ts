import { z } from "zod";
import type { QueueSettings } from "../../edge/line/settings.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import { givenTarget } from "../target/given-target.ts";
import { startTarget } from "../target/start-target.ts";
import type { Target } from "../target/target.ts";
import { choice, flag, numberOption, optionalWholeNumber, text, wholeNumber } from "./option-kinds.ts";
import type { Option, OptionValues } from "./option-table.ts";
import type { RunContext } from "./run-context.ts";

const urlOption: Option<string | undefined> = {
  value: "URL",
  help: "a running gate (default: the run starts its own stack)",
  schema: z
    .string()
    .refine(
      (url) => URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol),
      "must be an http or https URL",
    )
    .optional(),
};

const DATA_FOLDER = process.env["SLUICE_DATA_DIR"] ?? ".sluice";

/** The gate under load. */
export const targetOptions = {
  cap: wholeNumber("most visitors inside at once", { min: 1, max: 1_000_000, fallback: 200 }),
  rate: numberOption("admissions per second", { min: 0.1, max: 10_000, fallback: 50 }),
  burst: optionalWholeNumber("most admissions at once (the queue's default: those of one second)", {
    min: 1,
    max: 10_000,
  }),
  edge: choice("the runtime of the edges", ["worker", "node"], "worker"),
  edges: wholeNumber("number of edges", { min: 1, max: 16, fallback: 1 }),
  url: urlOption,
  queue: text("with --url: the queue of the page", "venue"),
  path: text("with --url: the protected page", "/api/v1/market/pairs"),
  "data-dir": {
    value: "FOLDER",
    help: `with --url: the data folder of a stack on this machine, with its operator token and control socket (${DATA_FOLDER})`,
    schema: z.string().min(1, "must not be empty").default(DATA_FOLDER),
  } satisfies Option<string>,
  "allow-remote": flag("with --url: allow another machine. Ask its owner first"),
} as const;

export type TargetValues = OptionValues<typeof targetOptions>;

/** Faults of the combination. */
export function targetFaults({ url, "allow-remote": allowRemote }: TargetValues): readonly string[] {
  if (url === undefined) return allowRemote ? ["--allow-remote: only with --url"] : [];
  return allowRemote || isLoopback(url) ? [] : ["--url: is not on this machine; --allow-remote allows it"];
}

/** `queueWish` has further settings for the queue of the run's own stack. */
export function openTarget(
  values: TargetValues,
  { signal, progress }: RunContext,
  queueWish: Partial<QueueSettings> = {},
): Promise<Target> {
  const { url, queue, path, cap, rate, burst, edge, edges } = values;
  if (url !== undefined) {
    const adminToken = process.env["SLUICE_ADMIN_TOKEN"];
    const dataFolder = isLoopback(url) ? values["data-dir"] : undefined;
    return givenTarget({ url, queueId: queue, path, adminToken, dataFolder, say: progress.say });
  }
  progress.say("Starting a stack for this run");
  return startTarget({
    edge,
    edges,
    queue: { ...queueWish, ...queueOf({ cap, rate, burst }) },
    signal,
    say: progress.say,
  });
}

/** Queue settings from the options; the queue's defaults apply to the rest. */
export function queueOf({ cap, rate, burst }: Pick<TargetValues, "cap" | "rate" | "burst">) {
  return { maxActive: cap, admissionRate: rate, ...(burst !== undefined && { admissionBurst: burst }) };
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** `2/4`. */
export const shardOption: Option<{ readonly index: number; readonly count: number }> = {
  value: "I/N",
  help: "play every N-th visitor, starting with the I-th; the records of all N can be merged (1/1)",
  schema: z
    .string()
    .transform((written) => readShard(written))
    .refine((shard) => shard.ok, "must be I/N, such as 2/4, with I from 1 to N and N up to 1000")
    .transform((shard) => (shard.ok ? shard.value : { index: 1, count: 1 }))
    .default({ index: 1, count: 1 }),
};

const SHARDS_MAX = 1_000;

function readShard(written: string): Result<{ readonly index: number; readonly count: number }, "malformed"> {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(written) ?? []).map(Number);
  return index >= 1 && index <= count && count <= SHARDS_MAX ? ok({ index, count }) : fail("malformed");
}
