import { z } from "zod";
import { assert } from "../assert.ts";

/**
 * The only way to call a Lua script. A definition names its keys and arguments in the order the script's header lists
 * them, so a call site cannot mix them up, and a reply reaches the caller only after its schema has accepted it.
 */
export type Script<KeyName extends string, Args extends ArgSchemas, Reply> = {
  readonly name: string;
  readonly run: (runner: ScriptRunner, call: ScriptCall<KeyName, Args>) => Promise<Reply>;
};

/** The interface of a Redis client; `origin/redis/` and `edge/store/` adapt ioredis and @upstash/redis to it. */
export type ScriptRunner = {
  readonly evalsha: (sha: string, keys: string[], args: string[]) => Promise<unknown>;
  readonly eval: (source: string, keys: string[], args: string[]) => Promise<unknown>;
};

type ArgSchemas = Readonly<Record<string, z.ZodType<string | number>>>;

type ScriptCall<KeyName extends string, Args extends ArgSchemas> = {
  readonly keys: KeysOf<KeyName>;
  readonly args: { readonly [Name in keyof Args]: z.input<Args[Name]> };
};

/** One key for each name; for a name such as `...sessions`, which can only be the last, a list of keys. */
type KeysOf<KeyName extends string> = {
  readonly [Name in KeyName as Name extends `...${infer List}` ? List : Name]: Name extends `...${string}`
    ? readonly string[]
    : string;
};

type ScriptDefinition<KeyName extends string, Args extends ArgSchemas, Reply> = {
  readonly name: string;
  readonly source: string;
  readonly keys: readonly KeyName[];
  readonly args: Args;
  readonly reply: z.ZodType<Reply>;
};

const LIST_MARK = "...";
/** A script blocks the store while it runs, so a list of keys has a bound. */
const LISTED_KEYS_MAX = 1_000;

export function defineScript<const KeyName extends string, Args extends ArgSchemas, Reply>(
  definition: ScriptDefinition<KeyName, Args, Reply>,
): Script<KeyName, Args, Reply> {
  const { name, source, reply } = definition;
  assertHeaderNames(name, source, definition.keys);
  const inOrder = keyOrder(name, definition.keys);
  const argNames = Object.keys(definition.args);
  // One schema for all of them: much quicker than one after the other.
  const argsSchema = z.object(definition.args as Record<string, ArgSchemas[string]>);
  let sha: string | undefined;

  async function run(runner: ScriptRunner, call: ScriptCall<KeyName, Args>): Promise<Reply> {
    const keys = inOrder(call.keys);
    assertOneSlot(name, keys);
    const checked = argsSchema.parse(call.args);
    const args = argNames.map((arg) => String(checked[arg]));
    sha ??= await sha1Hex(source);
    const raw = await evalshaThenEval(runner, { sha, source, keys, args });
    const parsed = reply.safeParse(raw);
    assert(parsed.success, `script ${name} answered in an unknown shape`);
    return parsed.data;
  }

  return { name, run };
}

/** In a script's header and those of the pieces it includes: `KEYS[2] waiting`, or `KEYS[2..] sessions` for a list. */
const HEADER_KEY = /KEYS\[(\d+)(\.\.)?\] +(\w+)/g;

/** A key that moves to another position in a script, but not in its definition, would be written as another type. */
function assertHeaderNames(name: string, source: string, keys: readonly string[]): void {
  const comments = source.split("\n").filter((line) => line.startsWith("--"));
  const listed: string[] = [];
  for (const [, position, list, key] of comments.join("\n").matchAll(HEADER_KEY)) {
    const index = Number(position) - 1;
    const text = `${list === undefined ? "" : LIST_MARK}${key}`;
    assert(listed[index] === undefined || listed[index] === text, `script ${name} has two names for KEYS[${position}]`);
    listed[index] = text;
  }
  assert(
    listed.length === keys.length && keys.every((key, index) => key === listed[index]),
    `script ${name} is defined with the keys ${keys.join(", ")}; its header lists ${listed.join(", ")}`,
  );
}

/** Puts the keys of a call into the order of the definition. */
function keyOrder<KeyName extends string>(
  name: string,
  keys: readonly KeyName[],
): (given: KeysOf<KeyName>) => string[] {
  const single = keys.filter((key) => !key.startsWith(LIST_MARK));
  const lists = keys.filter((key) => key.startsWith(LIST_MARK)).map((key) => key.slice(LIST_MARK.length));
  const isLast = keys.findIndex((key) => key.startsWith(LIST_MARK)) === keys.length - 1;
  assert(lists.length === 0 || isLast, `script ${name} has a list that is not last`);
  const missing = `script ${name} takes the keys ${single.join(", ")}`;
  const tooMany = `script ${name} was given a list of more than ${LISTED_KEYS_MAX} keys`;
  return (given) => {
    const values = given as Readonly<Record<string, string | readonly string[] | undefined>>;
    const ordered = single.map((key) => values[key] as string);
    assert(!ordered.includes(undefined as never), missing);
    for (const list of lists) {
      const listed = values[list] as readonly string[];
      assert(listed.length <= LISTED_KEYS_MAX, tooMany);
      ordered.push(...listed);
    }
    return ordered;
  };
}

type Evaluation = { readonly sha: string; readonly source: string; readonly keys: string[]; readonly args: string[] };

/** EVAL also loads the script, so the next call finds it: one extra round trip after a restart or SCRIPT FLUSH. */
async function evalshaThenEval(runner: ScriptRunner, { sha, source, keys, args }: Evaluation): Promise<unknown> {
  try {
    return await runner.evalsha(sha, keys, args);
  } catch (error) {
    if (!isNoScript(error)) throw error;
    return await runner.eval(source, keys, args);
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}

/** A script's keys live in one slot, or Redis Cluster refuses it at the worst moment: in production. */
function assertOneSlot(name: string, keys: readonly string[]): void {
  const [first = ""] = keys;
  const tag = hashTagOf(first);
  for (const key of keys) {
    assert(
      tag === undefined ? key === first : hashTagOf(key) === tag,
      `script ${name} was given keys of several slots`,
    );
  }
}

async function sha1Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * A key's hash tag, which decides its slot in Redis Cluster: the text between the first brace and the next closing one.
 * Undefined without one; then the whole key decides.
 */
export function hashTagOf(key: string): string | undefined {
  const start = key.indexOf("{") + 1;
  const end = start === 0 ? -1 : key.indexOf("}", start);
  return end <= start ? undefined : key.slice(start, end);
}
