import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { fail, ok, type Result } from "../../../shared/result.ts";

export type CliSettings = {
  readonly command: "export" | "apply";
  /** `-` for standard input or output. */
  readonly file: string;
  readonly format: "yaml" | "json";
  readonly dryRun: boolean;
  readonly prune: boolean;
  readonly force: boolean;
  readonly url: string;
  readonly token: string | undefined;
  readonly secretsFile: string;
};

export const USAGE = `Usage: npm run sluice -- queues export [FILE]
       npm run sluice -- queues apply FILE [--dry-run] [--prune] [--force]

  export      writes queues, routes and bypass rules as YAML, or as JSON if FILE ends in .json; without FILE to standard output
  apply       applies FILE to the edge (- for standard input); everything that FILE does not name stays unchanged
  --dry-run   shows the difference and changes nothing
  --prune     also deletes the queues that FILE does not name
  --force     also queues with visitors in them
  --url URL   the edge; else SLUICE_URL, else the stack on this machine
  --token T   the operator token; else SLUICE_ADMIN_TOKEN, else the one in the data folder of the stack on this machine

Exit codes: 0 done, 1 the edge refused or is unavailable, 2 FILE or the command is invalid, 3 a dry run found a difference.`;

const SEE_HELP = "See npm run sluice -- queues --help.";
const DEFAULT_PORT = "8787";

export function parseCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Result<CliSettings, string> {
  const parsed = parseFlags(args);
  if (!parsed.ok) return parsed;
  const { values, positionals } = parsed.value;
  const [, command, file = "-", ...rest] = positionals;
  if (command !== "export" && command !== "apply") return fail(`Use queues export or queues apply. ${SEE_HELP}`);
  if (rest.length > 0) return fail(`Unknown argument: ${rest.join(" ")}. ${SEE_HELP}`);
  if (command === "apply" && positionals.length < 3) return fail("queues apply needs a file, or - for standard input.");
  const changing = (["dry-run", "prune", "force"] as const).find((name) => values[name]);
  if (command === "export" && changing !== undefined) return fail(`--${changing} is for queues apply. ${SEE_HELP}`);
  const url =
    values.url ?? environment["SLUICE_URL"] ?? `http://127.0.0.1:${environment["SLUICE_PORT"] ?? DEFAULT_PORT}`;
  if (!isWebAddress(url)) return fail("The address of the edge must be an http or https URL.");
  return ok({
    command,
    file,
    format: file.endsWith(".json") ? "json" : "yaml",
    dryRun: values["dry-run"],
    prune: values.prune,
    force: values.force,
    url,
    token: values.token ?? environment["SLUICE_ADMIN_TOKEN"],
    secretsFile: join(environment["SLUICE_DATA_DIR"] ?? ".sluice", "secrets.json"),
  });
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function parseFlags(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  const options = {
    "dry-run": flag,
    prune: flag,
    force: flag,
    url: { type: "string" },
    token: { type: "string" },
  } as const;
  try {
    return ok(parseArgs({ args: [...args], allowPositionals: true, options }));
  } catch (error) {
    // Node adds advice for the rare case in several further sentences.
    const [first = ""] = (error instanceof Error ? error.message : String(error)).split(". ");
    return fail(`${first.replace(/\.$/, "")}. ${SEE_HELP}`);
  }
}

const secretsSchema = z.object({ adminToken: z.string() });

/** The token of the stack on this machine, unless one was given. */
export async function tokenOf({ token, secretsFile }: CliSettings): Promise<Result<string, string>> {
  if (token !== undefined) return ok(token);
  try {
    return ok(secretsSchema.parse(JSON.parse(await readFile(secretsFile, "utf8"))).adminToken);
  } catch {
    return fail(
      `There is no operator token: give --token, set SLUICE_ADMIN_TOKEN, or start the stack once (${secretsFile} cannot be read).`,
    );
  }
}
