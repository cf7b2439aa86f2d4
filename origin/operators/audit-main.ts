import { RECORD_USAGE, runRecordCommand } from "../backup/record-commands.ts";
import { runCommand } from "../command-line.ts";

/** `npm run audit`. */
const args = process.argv.slice(2);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const run = () => runRecordCommand("audit", args, { environment: process.env, say, nowMs: Date.now });
process.exitCode = await runCommand({ usage: RECORD_USAGE, args, run });
