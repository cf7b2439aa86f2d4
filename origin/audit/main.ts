import { runRecordCommand } from "../backup/record-commands.ts";

/** `npm run audit`. */
const say = (line: string) => void process.stdout.write(`${line}\n`);
process.exitCode = await runRecordCommand("audit", process.argv.slice(2), { environment: process.env, say, nowMs: Date.now });
