import { z } from "zod";
import { defineScript, type ScriptRunner } from "../../shared/define-script.ts";
import { FENCE_KEY } from "../commit/keys.ts";
import source from "./append.lua";
import { COMMANDS_KEY } from "./keys.ts";

/**
 * Entries that may wait in the stream, those not yet trimmed included. At one turn of the loop each, this is some seconds of a busy venue: who
 * would wait longer than its time-out is better refused.
 */
const STREAM_LENGTH_MAX = 10_000;
/** A standby takes over within three seconds: until then commands may queue. */
const ABSENCE_MS_MAX = 3_000;

const appendScript = defineScript({
  name: "append",
  source,
  keys: ["commands", "fence"],
  args: { lengthMax: z.int(), graceMs: z.int(), node: z.string(), append: z.int(), commands: z.string() },
  reply: z.string(),
});

type Append = { readonly node: string; readonly append: number; readonly commands: string };

/** The entry's id, or why nothing was written. */
export function appendCommands(runner: ScriptRunner, append: Append): Promise<string> {
  return appendScript.run(runner, {
    keys: { commands: COMMANDS_KEY, fence: FENCE_KEY },
    args: { lengthMax: STREAM_LENGTH_MAX, graceMs: ABSENCE_MS_MAX, ...append },
  });
}
