import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { queueSettingsSchema } from "../../line/settings.ts";
import { applyPlan } from "./apply-plan.ts";
import { parseConfiguration, writeConfiguration } from "./document.ts";
import { createEdgeClient, type EdgeClient, EdgeRefusal } from "./edge-client.ts";
import { planChanges } from "./plan.ts";
import { type CliSettings, parseCommand, tokenOf, USAGE } from "./settings.ts";
import { isEmpty, showPlan } from "./show-plan.ts";

/** `npm run sluice`: configuration as code, over the operator API. `USAGE` explains the exit codes. */
const EXIT = { done: 0, refused: 1, faulty: 2, different: 3 } as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  // A reader that closes early, as in `| head`, is no failure.
  process.stdout.on("error", () => process.exit());
  if (args.some((argument) => argument === "--help" || argument === "-h")) {
    say(USAGE);
    return EXIT.done;
  }
  const command = parseCommand(args, process.env);
  if (!command.ok) return complain(command.reason, EXIT.faulty);
  const token = await tokenOf(command.value);
  if (!token.ok) return complain(token.reason, EXIT.faulty);
  const settingNames = Object.keys(queueSettingsSchema.shape);
  const client = createEdgeClient({ url: command.value.url, token: token.value, settingNames });
  try {
    return await (command.value.command === "export"
      ? exportTo(client, command.value)
      : applyFrom(client, command.value));
  } catch (error) {
    if (error instanceof EdgeRefusal) return complain(error.message, EXIT.refused);
    throw error;
  }
}

async function exportTo(client: EdgeClient, { file, format }: CliSettings): Promise<number> {
  const { queues, table } = await client.read();
  const settings = [...queues].map(([queueId, queue]) => [queueId, queue.settings] as const);
  const { routes, bypass } = table;
  const written = writeConfiguration(
    { queues: Object.fromEntries(settings), routes: [...routes], bypass: [...bypass] },
    format,
  );
  if (file === "-") process.stdout.write(written);
  else if (!(await isWritten(file, written))) return complain(`${file} cannot be written.`, EXIT.faulty);
  return EXIT.done;
}

async function isWritten(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(pathOf(file), content);
    return true;
  } catch {
    return false;
  }
}

async function applyFrom(client: EdgeClient, { file, dryRun, prune, force }: CliSettings): Promise<number> {
  const source = await readSource(file);
  if (source === undefined) return complain(`${file} cannot be read.`, EXIT.faulty);
  const document = parseConfiguration(source);
  if (!document.ok) return complainOf(file, document.reason);
  const plan = await planChanges(document.value, await client.read(), { prune });
  if (!plan.ok) return complainOf(file, plan.reason);
  say(showPlan(plan.value));
  if (isEmpty(plan.value)) return EXIT.done;
  if (dryRun) return EXIT.different;
  say("");
  await applyPlan(client, plan.value, { force, say });
  return EXIT.done;
}

async function readSource(file: string): Promise<string | undefined> {
  try {
    return file === "-" ? await text(process.stdin) : await readFile(pathOf(file), "utf8");
  } catch {
    return undefined;
  }
}

/** npm goes to the folder of the package; the file is meant from where the operator stands. */
function pathOf(file: string): string {
  return resolve(process.env["INIT_CWD"] ?? process.cwd(), file);
}

function complainOf(file: string, faults: readonly { readonly field: string; readonly message: string }[]): number {
  return complain(
    [`${file} cannot be applied:`, ...faults.map(({ field, message }) => `  ${field}: ${message}`)].join("\n"),
    EXIT.faulty,
  );
}

function complain(message: string, exitCode: number): number {
  process.stderr.write(`${message}\n`);
  return exitCode;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
