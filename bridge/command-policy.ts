import type { Argument, Command } from "../stack/program/resp/encode-commands.ts";
import type { Access } from "./access-tokens.ts";
import { CONNECTION_COMMANDS, READ_COMMANDS, WRITE_COMMANDS } from "./command-table.ts";

/** Why a command may not run, as the text of a Redis error; undefined when it may. */
export type CommandPolicy = (command: Command, access: Access) => string | undefined;

type Rule = {
  readonly name: string;
  access: Access | undefined;
  /** Set where the second word decides (`SCRIPT LOAD`). */
  readonly subcommands: Map<string, Access>;
};

/** `allow` names commands beyond the table, for a server that is not shared. */
export function createCommandPolicy({ allow }: { readonly allow: readonly string[] }): CommandPolicy {
  const rules = buildRules(allow);

  return (command, access) => {
    const name = command[0];
    // Names nearly always come in one of two spellings, and the map has both.
    const rule = rules.get(name) ?? rules.get(name.toUpperCase());
    if (rule === undefined) return notAvailable(name);
    const needed = rule.access ?? subcommandAccess(rule, command[1]);
    if (needed === undefined) return notAvailable(`${name} ${wordOf(command[1])}`.trimEnd());
    if (access === "read" && needed !== "read")
      return `NOPERM the read-only token may not run the '${printable(name)}' command`;
    return isBlockingRead(rule.name, command)
      ? `ERR the BLOCK option of '${rule.name}' is not available: the connection is shared`
      : undefined;
  };
}

/** The commands of a list that can never be allowed: naming them is an error, reported at the start. */
export function neverAllowed(names: readonly string[]): readonly string[] {
  return names.filter((name) => CONNECTION_COMMANDS.includes(name.toUpperCase()));
}

function buildRules(allow: readonly string[]): Map<string, Rule> {
  const rules = new Map<string, Rule>();
  const add = (entry: string, access: Access) => {
    const [name = "", subcommand] = entry.toUpperCase().split(" ");
    if (CONNECTION_COMMANDS.includes(name)) return;
    const rule = rules.get(name) ?? { name, access: undefined, subcommands: new Map() };
    if (subcommand === undefined) rule.access = access;
    else rule.subcommands.set(subcommand, access);
    rules.set(name, rule);
    rules.set(name.toLowerCase(), rule);
  };
  for (const entry of READ_COMMANDS) add(entry, "read");
  for (const entry of WRITE_COMMANDS) add(entry, "full");
  for (const entry of allow) add(entry, "full");
  return rules;
}

function subcommandAccess(rule: Rule, word: Argument | undefined): Access | undefined {
  return rule.subcommands.get(wordOf(word).toUpperCase());
}

const BLOCKING_READS: ReadonlySet<string> = new Set(["XREAD", "XREADGROUP"]);
const NAMES_OF_GROUP = 2;

/**
 * Read as Redis reads it: options in any order up to STREAMS; the names of a group and its consumer may be anything,
 * even BLOCK.
 */
function isBlockingRead(name: string, command: Command): boolean {
  if (!BLOCKING_READS.has(name)) return false;
  for (let at = 1; at < command.length; at++) {
    const option = wordOf(command[at]).toUpperCase();
    if (option === "BLOCK") return true;
    if (option === "STREAMS") return false;
    if (option === "GROUP") at += NAMES_OF_GROUP;
  }
  return false;
}

function notAvailable(name: string): string {
  return `ERR the command '${printable(name)}' is not available through this bridge`;
}

const NAME_LENGTH_MAX = 64;
const OPTION_LENGTH_MAX = 32;

/** Enough of an argument to recognise an option; a longer one is a value. Redis ends an option at a zero byte. */
function wordOf(argument: Argument | undefined): string {
  if (argument === undefined) return "";
  const text = Buffer.isBuffer(argument)
    ? argument.toString("latin1", 0, OPTION_LENGTH_MAX)
    : String(argument).slice(0, OPTION_LENGTH_MAX);
  return text.split("\0", 1)[0] ?? "";
}

function printable(name: string): string {
  return name.slice(0, NAME_LENGTH_MAX).replace(/[^\x20-\x7e]/g, "?");
}
