import { fail, ok, type Result } from "../shared/result.ts";
import type { Command } from "../stack/program/resp/encode-commands.ts";
import { type ParsedCommands, parseCommand, parseCommands } from "./parse-commands.ts";
import { parsePathCommand } from "./path-command.ts";
import type { Work } from "./store/store.ts";

type Input = { readonly url: string; readonly body: Buffer; readonly isBase64: boolean };
type Refuse = (command: Command) => string | undefined;

const NO_REFUSALS: ReadonlyMap<number, string> = new Map();

/** Parses a request and checks every command against the policy, before anything is sent. */
export function toWork({ url, body, isBase64 }: Input, refuse: Refuse): Result<Work, string> {
  const kind = workKind(url);
  const parsed = kind === "path" ? parsePath(url, body) : kind === "command" ? parseCommand(body) : parseCommands(body);
  if (!parsed.ok) return parsed;
  const { commands, isAscii } = parsed.value;
  const refusals = refusalsOf(commands, refuse);
  const [firstRefusal] = refusals.size === 0 ? [] : refusals.values();
  // A pipeline's members are independent; a transaction runs as a whole or not at all.
  if (firstRefusal !== undefined && kind !== "pipeline") return fail(firstRefusal);
  return ok({ kind: kind === "path" ? "command" : kind, commands, isAscii, refusals, isBase64 });
}

function workKind(url: string): Work["kind"] | "path" {
  const path = url.includes("?") ? url.slice(0, url.indexOf("?")) : url;
  if (path === "/") return "command";
  if (path === "/pipeline") return "pipeline";
  return path === "/multi-exec" ? "transaction" : "path";
}

function parsePath(url: string, body: Buffer): Result<ParsedCommands, string> {
  const command = parsePathCommand(url, body);
  return command.ok ? ok({ commands: [command.value], isAscii: false }) : command;
}

function refusalsOf(commands: readonly Command[], refuse: Refuse): ReadonlyMap<number, string> {
  let refusals: Map<number, string> | undefined;
  for (let index = 0; index < commands.length; index++) {
    const refusal = refuse(commands[index] as Command);
    if (refusal === undefined) continue;
    refusals ??= new Map();
    refusals.set(index, refusal);
  }
  return refusals ?? NO_REFUSALS;
}
