import { isAscii, isUtf8 } from "node:buffer";
import { fail, ok, type Result } from "../shared/result.ts";
import type { Argument, Command } from "../stack/program/resp/encode-commands.ts";

export type ParsedCommands = { readonly commands: readonly Command[]; readonly isAscii: boolean };

/** Redis ends a connection that sends more than 2^20 arguments, and ours is shared. */
const ARGUMENTS_MAX = 100_000;
const COMMANDS_MAX = 10_000;

/** `["SET","key","value"]`: the body of `POST /`. */
export function parseCommand(body: Buffer): Result<ParsedCommands, string> {
  const json = parseJson(body);
  if (!json.ok) return json;
  const fault = commandFault(json.value.value);
  if (fault !== undefined) return fail(fault);
  return ok({ commands: [json.value.value as Command], isAscii: json.value.isAscii });
}

/** `[["SET","key","value"],["GET","key"]]`: the body of `POST /pipeline` and `POST /multi-exec`. */
export function parseCommands(body: Buffer): Result<ParsedCommands, string> {
  const json = parseJson(body);
  if (!json.ok) return json;
  const { value, isAscii } = json.value;
  if (!Array.isArray(value)) return fail("ERR the body must be a JSON array of commands");
  if (value.length === 0) return fail("ERR there is no command in the body");
  if (value.length > COMMANDS_MAX) return fail(`ERR more than ${COMMANDS_MAX} commands in one request`);
  for (const command of value) {
    const fault = commandFault(command);
    if (fault !== undefined) return fail(fault);
  }
  return ok({ commands: value as Command[], isAscii });
}

type ParsedJson = { readonly value: unknown; readonly isAscii: boolean };

/**
 * A number keeps its digits only up to 2^53, and "1.0" becomes "1"; Redis must see the text that was sent. A match
 * inside a string only costs time.
 */
const NUMBER_MAY_CHANGE = /[,[]\s*(?:-?\d{16}|-?\d+[.eE]|-0)/;

function parseJson(body: Buffer): Result<ParsedJson, string> {
  const isAsciiBody = isAscii(body);
  if (!isAsciiBody && !isUtf8(body)) return fail("ERR the body is not UTF-8");
  const text = body.toString(isAsciiBody ? "latin1" : "utf8");
  try {
    const value: unknown = NUMBER_MAY_CHANGE.test(text) ? JSON.parse(text, keepNumberText) : JSON.parse(text);
    return ok({ value, isAscii: isAsciiBody && !text.includes("\\u") });
  } catch {
    return fail("ERR the body is not JSON");
  }
}

function keepNumberText(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" ? (context?.source ?? value) : value;
}

function commandFault(command: unknown): string | undefined {
  if (!Array.isArray(command)) return "ERR a command must be a JSON array";
  if (command.length === 0) return "ERR empty command";
  if (command.length > ARGUMENTS_MAX) return `ERR more than ${ARGUMENTS_MAX} arguments in one command`;
  if (typeof command[0] !== "string") return "ERR a command's name must be a string";
  for (const argument of command) {
    if (!isArgument(argument)) return "ERR an argument must be a string, a number or a boolean";
  }
  return undefined;
}

function isArgument(value: unknown): value is Argument {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
