import { z } from "zod";
import { defineScript, type ScriptRunner } from "../../shared/store/define-script.ts";
import { parseStreamId } from "./command-text.ts";
import { COMMANDS_KEY } from "./keys.ts";
import source from "./raise-stream.lua";

const raiseScript = defineScript({
  name: "raise-stream",
  source,
  keys: ["commands"],
  args: { ms: z.string(), number: z.string() },
  reply: z.int(),
});

/**
 * Redis numbers appends by its own clock, and an engine reads on after the last committed command. On a Redis whose
 * clock is behind that command (restored elsewhere, or set back) every append would precede it and never be read: so
 * the stream is moved up to it first.
 */
export async function raiseStream(runner: ScriptRunner, committedCommand: string): Promise<boolean> {
  const [ms, number] = parseStreamId(committedCommand)?.entryId.split("-") ?? [];
  if (ms === undefined || number === undefined || ms === "0") return false;
  return (await raiseScript.run(runner, { keys: { commands: COMMANDS_KEY }, args: { ms, number } })) === 1;
}
