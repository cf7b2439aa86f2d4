import { systemRandom } from "../../shared/ids.ts";
import { asksForHelp, complain, NOT_UNDERSTOOD, runCommand } from "../../stack/program/command-line.ts";
import { CANDLES_USAGE, runCandlesCommand } from "./candles-command.ts";
import { ADMIN_USAGE, createAdmin } from "./create-admin.ts";
import { DEMO_USAGE, runDemo } from "./demo/run-demo.ts";
import { RECORD_USAGE, type RecordCommand, runRecordCommand } from "./record-commands.ts";

/**
 * `npm run sluice`: `queues` is the gate's configuration and runs at the edge; all other commands are for the venue and
 * run here.
 */
const OVERVIEW = `npm run sluice -- COMMAND

  demo                          accounts, balances and a market maker to try out
  admin create                  an account with the role admin
  queues export [FILE]          queues, routes and bypass rules as a file
  queues apply FILE             applies such a file
  audit                         compares Redis, ledger and balances; the same as npm run audit
  backup DIR, restore [DIR]     backs up or restores both stores
  candles rebuild               makes candles again from the ledger

COMMAND --help describes each command.`;

const [first = "", ...args] = process.argv.slice(2);
const say = (line: string) => void process.stdout.write(`${line}\n`);
const record = (name: RecordCommand) => () =>
  runRecordCommand(name, args, { environment: process.env, say, nowMs: Date.now });

const COMMANDS: Readonly<Record<string, { readonly usage: string; readonly run: () => Promise<number> }>> = {
  audit: { usage: RECORD_USAGE, run: record("audit") },
  backup: { usage: RECORD_USAGE, run: record("backup") },
  restore: { usage: RECORD_USAGE, run: record("restore") },
  candles: {
    usage: CANDLES_USAGE,
    run: () => runCandlesCommand(args, { environment: process.env, say, nowMs: Date.now }),
  },
  demo: { usage: DEMO_USAGE, run: demo },
  admin: {
    usage: ADMIN_USAGE,
    run: () =>
      createAdmin(args, {
        environment: process.env,
        stdin: process.stdin,
        say,
        complain,
        random: systemRandom,
        nowMs: Date.now(),
      }),
  },
};

if (first === "queues") {
  await import(new URL("../../edge/operators/cli/main.ts", import.meta.url).href);
} else {
  const command = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined;
  process.exitCode = await (command === undefined ? tellCommands() : runCommand({ ...command, args }));
}

function tellCommands(): number {
  if (first !== "" && !asksForHelp([first]))
    return complain(`${first}: unknown command; npm run sluice -- --help lists the commands.`);
  say(OVERVIEW);
  return first === "" ? NOT_UNDERSTOOD : 0;
}

function demo(): Promise<number> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  return runDemo(args, {
    environment: process.env,
    say,
    fillRandom: systemRandom,
    random: Math.random,
    signal: stopping.signal,
  });
}
