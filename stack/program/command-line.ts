import { type ParseArgsConfig, parseArgs } from "node:util";
import { fail, ok, type Result } from "../../shared/result.ts";

type Command = {
  /** Printed by `--help`. */
  readonly usage: string;
  readonly args: readonly string[];
  /** Answers the exit code. */
  readonly run: () => number | Promise<number>;
};

const REFUSED = 1;
/** Wrong usage. */
export const NOT_UNDERSTOOD = 2;

/**
 * Runs a command line program: `--help` prints its usage and exits with 0; a failure is one sentence on standard error,
 * never a stack trace; a closed pipe (`| head`) ends it quietly.
 */
export async function runCommand({ usage, args, run }: Command): Promise<number> {
  endWithReader();
  if (asksForHelp(args)) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  try {
    return await run();
  } catch (error) {
    return complain(sentenceOf(error), REFUSED);
  }
}

export function asksForHelp(args: readonly string[]): boolean {
  return args.some((argument) => argument === "--help" || argument === "-h");
}

export function complain(sentence: string, exitCode = NOT_UNDERSTOOD): number {
  process.stderr.write(`${sentence}\n`);
  return exitCode;
}

/** The options of a command, or a sentence about the unknown one. */
export function readArgs<const Config extends ParseArgsConfig>(
  config: Config,
): Result<ReturnType<typeof parseArgs<Config>>, string> {
  try {
    return ok(parseArgs(config));
  } catch (error) {
    // Node adds several sentences of advice.
    const [first = ""] = sentenceOf(error).split(". ");
    return fail(`${first.replace(/\.$/, "")}; --help lists the options.`);
  }
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EISDIR: "is a folder",
  ENOTDIR: "is not a folder",
  EACCES: "may not be read or written",
  EPERM: "may not be read or written",
  EROFS: "may not be written",
  ENOSPC: "no space left on the disk",
  EADDRINUSE: "the port is in use",
  ECONNREFUSED: "cannot be reached",
};

/** The error as a sentence for the user of the command line. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path, message } = error as NodeJS.ErrnoException;
  const fault = code === undefined ? undefined : FILE_FAULTS[code];
  if (fault === undefined) return message;
  return path === undefined ? `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.` : `${path}: ${fault}.`;
}

/** A pipe whose reader has ended is no failure. */
function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
}
