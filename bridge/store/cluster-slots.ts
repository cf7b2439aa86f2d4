import { Command as RedisCommand } from "ioredis";
import type { Argument, Command } from "../../stack/program/resp/encode-commands.ts";

type Key = string | Buffer;

/**
 * The keys of a command, or `malformed` when some are missing: `["GET"]`, or a wrong count of keys. ioredis does not
 * check this, and would invent a key or count to a billion.
 */
export function keysOf([name, ...args]: Command): readonly Key[] | "malformed" {
  const countAt = KEY_COUNT_AT.get(name.toUpperCase());
  if (countAt !== undefined && !isTrueCount(args[countAt], args.length - countAt - 1)) return "malformed";
  const command = new RedisCommand(
    name,
    args.map((argument) => (Buffer.isBuffer(argument) ? argument : String(argument))),
  );
  const keys = command.getKeys() as readonly (Key | undefined)[];
  return keys.every((key) => key !== undefined) ? keys : "malformed";
}

/** The hash slots that keys lie in; a cluster runs a transaction only when there is one. */
export function slotsOf(keys: readonly Key[]): ReadonlySet<number> {
  const slots = keys.map((key) => new RedisCommand("GET", [key]).getSlot());
  return new Set(slots.filter((slot) => slot !== null));
}

/** Where a command says how many keys follow, counted after its name. */
const KEY_COUNT_AT: ReadonlyMap<string, number> = new Map([
  ...["EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO"].map((name) => [name, 1] as const),
  ...["ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE"].map((name) => [name, 1] as const),
  ...["ZUNION", "ZINTER", "ZDIFF", "ZINTERCARD", "SINTERCARD", "SUNIONCARD", "SDIFFCARD"].map(
    (name) => [name, 0] as const,
  ),
  ...["LMPOP", "ZMPOP", "MSETEX"].map((name) => [name, 0] as const),
]);

function isTrueCount(argument: Argument | undefined, countMax: number): boolean {
  const text = String(argument);
  return /^\d{1,7}$/.test(text) && Number(text) <= countMax;
}
