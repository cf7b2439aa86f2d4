/** One argument as it came in: JSON gives strings, numbers and booleans; a path or a body gives bytes. */
export type Argument = string | number | boolean | Buffer;

/** A command's name and its arguments, already known to be non-empty and flat. */
export type Command = readonly [string, ...Argument[]];

/**
 * Commands as RESP, as a string with one character per byte: such strings concatenate for next to nothing, and all
 * requests of one turn of the event loop leave in a single write.
 */
export function encodeCommands(commands: readonly Command[], isAscii: boolean): string {
  let wire = "";
  for (const command of commands) {
    wire += countPrefix(command.length);
    for (const argument of command) {
      const bytes = typeof argument === "string" && isAscii ? argument : toByteString(argument);
      wire += `${lengthPrefix(bytes.length)}${bytes}\r\n`;
    }
  }
  return wire;
}

function toByteString(argument: Argument): string {
  if (Buffer.isBuffer(argument)) return argument.toString("latin1");
  if (typeof argument === "string") return Buffer.from(argument, "utf8").toString("latin1");
  return String(argument);
}

/** Nearly all are short, and a prepared text saves time. */
const COUNTS = Array.from({ length: 64 }, (_, count) => `*${count}\r\n`);
const LENGTHS = Array.from({ length: 256 }, (_, length) => `$${length}\r\n`);

const countPrefix = (count: number) => COUNTS[count] ?? `*${count}\r\n`;
const lengthPrefix = (length: number) => LENGTHS[length] ?? `$${length}\r\n`;
