import { systemRandom } from "../../shared/ids.ts";
import { runRecordCommand } from "../backup/record-commands.ts";
import { runDemo } from "../demo/run-demo.ts";
import { createAdmin } from "./create-admin.ts";

/** `npm run sluice`: `queues` is the gate's configuration, and its command stands at the edge; everything else is about the venue and is answered here. */
const OVERVIEW = `npm run sluice -- COMMAND

  demo                          accounts, balances and a market maker to try out
  admin create                  an account with the role admin
  queues export [FILE]          queues, routes and bypass rules as a file
  queues apply FILE             and back
  audit                         whether Redis, ledger and balances agree; the same as npm run audit
  backup DIR, restore [DIR]     both stores

COMMAND --help tells more of each.`;
const [first, ...rest] = process.argv.slice(2);
const isHelp = (argument: string) => argument === "--help" || argument === "-h";
const say = (line: string) => void process.stdout.write(`${line}\n`);

if (first === "backup" || first === "restore" || first === "audit") {
  process.exitCode = await runRecordCommand(first, rest, { environment: process.env, say, nowMs: Date.now });
} else if (first === "demo") {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  const surroundings = { environment: process.env, say, fillRandom: systemRandom, random: Math.random, signal: stopping.signal };
  process.exitCode = await runDemo(rest, surroundings);
} else if (first === "admin") {
  process.exitCode = await createAdmin(rest, {
    environment: process.env,
    stdin: process.stdin,
    say,
    random: systemRandom,
    nowMs: Date.now(),
  });
} else if (first === "queues") {
  await import(new URL("../../edge/cli/main.ts", import.meta.url).href);
} else {
  say(first === undefined || isHelp(first) ? OVERVIEW : `${first}: no such command\n\n${OVERVIEW}`);
  process.exitCode = 2;
}
// Each has then told how it is used, as it does for what it cannot understand; but who asks for that has made no mistake.
if (process.argv.slice(2).some(isHelp)) process.exitCode = 0;
