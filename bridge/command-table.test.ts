import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { borrowRedis, type TestServer } from "../kit/borrowed-servers.ts";
import { createCommandPolicy } from "./command-policy.ts";
import { CONNECTION_COMMANDS, READ_COMMANDS, WRITE_COMMANDS } from "./command-table.ts";

/** Compares the table with a real server's flags of its commands. */
type CommandInfo = {
  readonly name: string;
  readonly flags: ReadonlySet<string>;
  readonly categories: ReadonlySet<string>;
};

let server: TestServer;
let redis: Redis;
let known: Map<string, CommandInfo>;

beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  redis = new Redis(server.url, { protocol: 2 });
  known = new Map(flatten((await redis.call("COMMAND")) as RawInfo[]).map((info) => [info.name, info]));
});
afterAll(async () => {
  redis.disconnect();
});

type RawInfo = readonly [
  string,
  number,
  readonly string[],
  number,
  number,
  number,
  readonly string[],
  unknown,
  unknown,
  readonly RawInfo[],
];

function flatten(infos: readonly RawInfo[]): CommandInfo[] {
  return infos.flatMap((info) => {
    const [name, , flags, , , , categories] = info;
    const own = { name: name.replace("|", " ").toUpperCase(), flags: new Set(flags), categories: new Set(categories) };
    return [own, ...flatten(info[9])];
  });
}

function infosOf(entries: readonly string[]): CommandInfo[] {
  return entries.flatMap((entry) => known.get(entry) ?? []);
}

function containers(): string[] {
  return [...known.keys()].filter((name) => [...known.keys()].some((other) => other.startsWith(`${name} `)));
}

it("knows most of its commands from this server, so that the comparison means something", () => {
  expect(infosOf(READ_COMMANDS).length).toBeGreaterThan(80);
  expect(infosOf(WRITE_COMMANDS).length).toBeGreaterThan(100);
});

it("lets the read-only token run nothing that writes, publishes or administers", () => {
  // These read no key, so Redis does not flag them as reads; the last one's flag says that it may wait for replicas.
  const harmless = new Set(["PING", "ECHO", "TIME", "SCRIPT EXISTS", "EVAL_RO", "EVALSHA_RO", "FCALL_RO", "PFCOUNT"]);
  for (const { name, flags } of infosOf(READ_COMMANDS)) {
    expect(flags.has("write") || flags.has("admin") || flags.has("pubsub"), name).toBe(false);
    expect(flags.has("readonly") || harmless.has(name), name).toBe(true);
  }
});

it("allows no command that blocks, administers or is bound to the connection", () => {
  const allowed = infosOf([...READ_COMMANDS, ...WRITE_COMMANDS]);
  // They block only with the BLOCK option, which the policy refuses.
  const blockByOption = new Set(["XREAD", "XREADGROUP"]);
  const ofConnection = new Set(["PING", "ECHO"]);
  for (const { name, flags, categories } of allowed) {
    expect(flags.has("admin"), name).toBe(false);
    expect(flags.has("blocking") && !blockByOption.has(name), name).toBe(false);
    expect(categories.has("@connection") && !ofConnection.has(name), name).toBe(false);
  }
});

it("refuses, even when named by the operator, all that blocks or holds the shared connection", () => {
  const names = [...known.values()]
    .filter(
      ({ flags, categories, name }) => flags.has("blocking") || (categories.has("@connection") && !name.includes(" ")),
    )
    .map(({ name }) => name)
    .filter((name) => !["XREAD", "XREADGROUP", "PING", "ECHO", "COMMAND"].includes(name));
  expect(names.length).toBeGreaterThan(15);
  const policy = createCommandPolicy({ allow: names });
  for (const name of [...names, ...CONNECTION_COMMANDS])
    expect(policy([name, "x"], "full"), name).toContain("not available");
});

it("names the subcommands of a container one by one, never the container", () => {
  const names = new Set([...READ_COMMANDS, ...WRITE_COMMANDS]);
  for (const name of containers()) expect(names.has(name), name).toBe(false);
});

it("has no command twice", () => {
  const all = [...READ_COMMANDS, ...WRITE_COMMANDS, ...CONNECTION_COMMANDS];
  expect(new Set(all).size).toBe(all.length);
});
