import { runCommand } from "../../stack/program/command-line.ts";
import { RECORD_USAGE, runRecordCommand } from "./record-commands.ts";

/** `npm run audit`. */
const args = process.argv.slice(2);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const run = () => runRecordCommand("audit", args, { environment: process.env, say, nowMs: Date.now });
process.exitCode = await runCommand({ usage: RECORD_USAGE, args, run });
