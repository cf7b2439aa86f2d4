import { z } from "zod";
import { assert } from "./assert.ts";
import { hashTagOf } from "./hash-tag.ts";

/**
 * The only way to call a Lua script. A definition names its keys and arguments in the order the script's header lists
 * them, so a call site cannot mix them up, and a reply reaches the caller only after its schema has accepted it.
 */
export type Script<KeyName extends string, Args extends ArgSchemas, Reply> = {
  readonly name: string;
  readonly run: (runner: ScriptRunner, call: ScriptCall<KeyName, Args>) => Promise<Reply>;
};

/** What a Redis client must offer; `origin/redis/` and `edge/store/` adapt ioredis and @upstash/redis to it. */
export type ScriptRunner = {
  readonly evalsha: (sha: string, keys: string[], args: string[]) => Promise<unknown>;
  readonly eval: (source: string, keys: string[], args: string[]) => Promise<unknown>;
};

type ArgSchemas = Readonly<Record<string, z.ZodType<string | number>>>;

type ScriptCall<KeyName extends string, Args extends ArgSchemas> = {
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly args: { readonly [Name in keyof Args]: z.input<Args[Name]> };
};

type ScriptDefinition<KeyName extends string, Args extends ArgSchemas, Reply> = {
  readonly name: string;
  readonly source: string;
  readonly keys: readonly KeyName[];
  readonly args: Args;
  readonly reply: z.ZodType<Reply>;
};

export function defineScript<const KeyName extends string, Args extends ArgSchemas, Reply>(
  definition: ScriptDefinition<KeyName, Args, Reply>,
): Script<KeyName, Args, Reply> {
  const { name, source, reply } = definition;
  const argNames = Object.keys(definition.args);
  // One schema for all of them: much quicker than one after the other.
  const argsSchema = z.object(definition.args as Record<string, ArgSchemas[string]>);
  let sha: string | undefined;

  async function run(runner: ScriptRunner, call: ScriptCall<KeyName, Args>): Promise<Reply> {
    const keys = definition.keys.map((key) => call.keys[key]);
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
    assert(tag === undefined ? key === first : hashTagOf(key) === tag, `script ${name} was given keys of several slots`);
  }
}

async function sha1Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
