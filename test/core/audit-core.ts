import type { Redis } from "ioredis";
import { expect } from "vitest";
import { type CommandFields, commandFrom } from "../../origin/commands/command-text.ts";
import type { Submitted } from "../../origin/commands/commands.ts";
import { COMMANDS_KEY } from "../../origin/commands/keys.ts";
import { firstCommands } from "../../origin/commit/first-terms.ts";
import { faultOfNext, type JournalEntry, readJournal, START } from "../../origin/commit/journal.ts";
import { changesFrom, resultIn } from "../../origin/commit/journal-body.ts";
import { catchUp, faultsOf, recover } from "../../origin/commit/recover.ts";
import type { Command } from "../../origin/engine/command.ts";
import { createEngine } from "../../origin/engine/engine.ts";
import type { Outcome } from "../../origin/engine/outcome.ts";

/** What somebody was told. */
export type Acknowledged = { readonly commandId: string; readonly sequence: number; readonly outcome: Outcome };

type Audit = {
  readonly acknowledged?: readonly Acknowledged[];
  /** Every command in the order of the stream, where somebody has taken them down before they were trimmed. */
  readonly commands?: ReadonlyMap<string, Command>;
};

/**
 * Looks at a venue that stands still, and asserts what must be true whatever has happened to it: the journal is a chain without gaps; nothing in
 * it was applied twice; everything that anybody was told is in it; money is conserved and the books are sound; and the state that the
 * next engine would start from is the state that the journal leads to, and that the commands lead to.
 */
export async function auditCore(redis: Redis, { acknowledged = [], commands }: Audit = {}): Promise<{ readonly entries: number }> {
  const entries = await wholeJournal(redis);
  const live = createEngine();
  const applied: string[] = [];
  for (const entry of entries) {
    live.absorb(changesFrom(entry.body));
    applied.push(...commandIdsIn(entry));
  }
  expect(live.verify()).toEqual([]);
  expect(applied.length).toBe(new Set(applied).size);

  const recovered = await recover(redis);
  if (!recovered.ok) throw new Error(recovered.reason);
  expect(await catchUp(redis, recovered.value)).toMatchObject({ ok: true });
  expect(await faultsOf(redis, recovered.value)).toEqual([]);
  expect(recovered.value.engine.stateHash()).toBe(live.stateHash());

  if (commands !== undefined) expect(hashOfReplay(entries, applied, commands)).toBe(live.stateHash());
  for (const told of acknowledged) expectInJournal(entries, told);
  return { entries: entries.length };
}

async function wholeJournal(redis: Redis): Promise<readonly JournalEntry[]> {
  const entries = await readJournal(redis, 0, 1_000_000);
  let before: Parameters<typeof faultOfNext>[0] = START;
  for (const entry of entries) {
    expect(faultOfNext(before, entry)).toBeUndefined();
    before = entry;
  }
  return entries;
}

function commandIdsIn(entry: JournalEntry): readonly string[] {
  const groups = JSON.parse(entry.body)[11] as readonly [string, number, readonly unknown[]][];
  return groups.flatMap(([entryId, firstIndex, results]) => results.map((_, place) => `${entryId}-${firstIndex + place}`));
}

function hashOfReplay(entries: readonly JournalEntry[], applied: readonly string[], commands: ReadonlyMap<string, Command>): string {
  const engine = createEngine();
  const first = firstCommands(entries[0] === undefined ? 0 : changesFrom(entries[0].body).at);
  const known = new Map([...first.map(({ command }) => [command.id, command] as const), ...commands]);
  for (const id of applied) {
    const command = known.get(id);
    if (command === undefined) throw new Error(`nobody has taken down command ${id}`);
    engine.apply(command);
  }
  engine.takeChanges();
  return engine.stateHash();
}

function expectInJournal(entries: readonly JournalEntry[], { commandId, sequence, outcome }: Acknowledged): void {
  const entry = entries[sequence - 1];
  const cut = commandId.lastIndexOf("-");
  const result = resultIn(entry?.body ?? "[]", { entryId: commandId.slice(0, cut), index: Number(commandId.slice(cut + 1)) });
  expect(result?.outcome.kind, commandId).toBe(outcome.kind);
  if (outcome.kind === "order" && result?.outcome.kind === "order") {
    expect(result.outcome.order.id).toBe(outcome.order.id);
    expect(result.outcome.trades).toEqual(outcome.trades);
  }
}

/** Takes every command down as it is appended. */
export function recordCommands(redis: Redis): { readonly commands: ReadonlyMap<string, Command>; readonly stop: () => Promise<void> } {
  const commands = new Map<string, Command>();
  const reader = redis.duplicate();
  reader.on("error", () => {});
  let last = "0-0";
  let isStopping = false;

  async function read(): Promise<void> {
    const reply = await reader.xread("COUNT", 1_000, "BLOCK", 20, "STREAMS", COMMANDS_KEY, last);
    for (const [id, fields] of reply?.[0]?.[1] ?? []) {
      const list = JSON.parse(fields[5] ?? "[]") as readonly CommandFields[];
      for (const [index, command] of list.entries()) commands.set(`${id}-${index}`, commandFrom(command, `${id}-${index}`));
      last = id;
    }
  }

  async function run(): Promise<void> {
    while (!isStopping) await read().catch(() => new Promise((resolve) => setTimeout(resolve, 20)));
  }

  const running = run();
  return {
    commands,
    stop: async () => {
      isStopping = true;
      await running;
      await read().catch(() => {});
      reader.disconnect();
    },
  };
}

export function toldOf(answers: readonly Submitted[]): readonly Acknowledged[] {
  return answers.flatMap((answer) => (answer.kind === "committed" ? [answer] : []));
}
