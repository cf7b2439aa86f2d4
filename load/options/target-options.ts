import { z } from "zod";
import type { QueueSettings } from "../../edge/queue/settings.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { RunContext } from "../run-context.ts";
import { givenTarget } from "../target/given-target.ts";
import { startTarget } from "../target/start-target.ts";
import type { Target } from "../target/target.ts";
import { choice, flag, numberOption, optionalWholeNumber, text, wholeNumber } from "./option-kinds.ts";
import type { Option, OptionValues } from "./option-table.ts";

const urlOption: Option<string | undefined> = {
  value: "URL",
  help: "a gate that runs already (a stack of its own)",
  schema: z
    .string()
    .refine((url) => URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol), "must be an http or https URL")
    .optional(),
};

const DATA_FOLDER = process.env["SLUICE_DATA_DIR"] ?? ".sluice";

/** What the load is put on. */
export const targetOptions = {
  cap: wholeNumber("people inside at most", { min: 1, max: 1_000_000, fallback: 200 }),
  rate: numberOption("people let in each second", { min: 0.1, max: 10_000, fallback: 50 }),
  burst: optionalWholeNumber("and so many at once (what the queue has by default: one second's worth)", { min: 1, max: 10_000 }),
  edge: choice("the gate of the stack", ["worker", "node"], "worker"),
  edges: wholeNumber("how many of them", { min: 1, max: 16, fallback: 1 }),
  url: urlOption,
  queue: text("with --url: the queue that is before the page", "venue"),
  path: text("with --url: the page", "/api/v1/market/pairs"),
  "data-dir": {
    value: "FOLDER",
    help: `with --url: the data folder of a stack on this machine, for its operator token, if SLUICE_ADMIN_TOKEN does not tell it, and for the accounts of those who trade (${DATA_FOLDER})`,
    schema: z.string().min(1, "must not be empty").default(DATA_FOLDER),
  } satisfies Option<string>,
  "allow-remote": flag("with --url: it may be another machine. Ask its owner first"),
} as const;

export type TargetValues = OptionValues<typeof targetOptions>;

/** What speaks against these together. */
export function targetFaults({ url, "allow-remote": allowRemote }: TargetValues): readonly string[] {
  if (url === undefined) return allowRemote ? ["--allow-remote: only with --url"] : [];
  return allowRemote || isLoopback(url) ? [] : ["--url: is not on this machine; --allow-remote says that you may do this to it"];
}

/** `queueWish` is what the scenario wants of a queue of its own, beside what the options say. */
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
  return startTarget({ edge, edges, queue: { ...queueWish, ...queueOf({ cap, rate, burst }) }, signal, say: progress.say });
}

/** What the options say of a queue; the queue has its own default where they say nothing. */
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
  help: "play every N-th visitor, beginning with the I-th; the records of all N merge (1/1)",
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
