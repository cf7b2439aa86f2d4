import type { Redis } from "ioredis";
import type { Argument, Command } from "../../stack/program/resp/encode-commands.ts";
import type { RedisValue } from "./value-json.ts";

type Broadcast = (masters: readonly Redis[]) => Promise<RedisValue>;

/**
 * Commands without a key that cover the whole data set. On a cluster each node knows only its share, so they go to
 * every master and the answers are combined; a single node's answer would be wrong.
 */
export function broadcastOf(command: Command): Broadcast | undefined {
  const name = command[0].toUpperCase();
  if (name === "SCAN") return (masters) => scan(masters, command);
  const combine = name === "SCRIPT" && /^exists$/i.test(String(command[1])) ? everywhere : COMBINE[name];
  if (combine === undefined) return undefined;
  return async (masters) => combine(await Promise.all(masters.map((node) => call(node, command.slice(1), name))));
}

const COMBINE: Readonly<Record<string, (values: readonly RedisValue[]) => RedisValue>> = {
  SCRIPT: (values) => values[0] ?? null,
  FLUSHALL: (values) => values[0] ?? null,
  FLUSHDB: (values) => values[0] ?? null,
  DBSIZE: (values) => values.reduce<number>((sum, value) => sum + Number(value), 0),
  KEYS: (values) => values.flatMap((value) => (Array.isArray(value) ? (value as RedisValue[]) : [])),
};

/** A script exists when every master has it. */
function everywhere(values: readonly RedisValue[]): RedisValue {
  const [first = []] = values as readonly (readonly number[])[];
  return first.map((_, index) =>
    Math.min(...(values as readonly (readonly number[])[]).map((answers) => answers[index] ?? 0)),
  );
}

/**
 * One cursor over all masters: it counts through the nodes in the order of their addresses and carries the node's own
 * cursor, so that a caller scans the cluster as if it were one server.
 */
async function scan(masters: readonly Redis[], [, cursorArgument, ...options]: Command): Promise<RedisValue> {
  const nodes = masters.toSorted((a, b) => addressOf(a).localeCompare(addressOf(b)));
  const cursorText = String(cursorArgument ?? "");
  if (!/^\d{1,39}$/.test(cursorText)) return new Error("ERR invalid cursor");
  const count = BigInt(nodes.length);
  const index = Number(BigInt(cursorText) % count);
  const node = nodes[index];
  if (node === undefined) return new Error("ERR invalid cursor");
  const reply = await call(node, [String(BigInt(cursorText) / count), ...options], "SCAN");
  const [next, keys] = reply as readonly [Buffer, RedisValue];
  return [Buffer.from(nextCursor({ own: BigInt(String(next)), index, count: nodes.length })), keys];
}

function nextCursor({
  own,
  index,
  count,
}: {
  readonly own: bigint;
  readonly index: number;
  readonly count: number;
}): string {
  if (own > 0n) return String(own * BigInt(count) + BigInt(index));
  return index + 1 < count ? String(index + 1) : "0";
}

function addressOf(node: Redis): string {
  return `${node.options.host}:${node.options.port}`;
}

async function call(node: Redis, args: readonly Argument[], name: string): Promise<RedisValue> {
  const values = args.map((argument) => (typeof argument === "boolean" ? String(argument) : argument));
  return (await node.callBuffer(name, ...values)) as RedisValue;
}
