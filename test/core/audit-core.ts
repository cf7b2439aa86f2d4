import type { Redis } from "ioredis";
import { expect } from "vitest";
import { catchUp, faultsOf, recover } from "../../origin/commit/recover.ts";
import type { Submitted } from "../../origin/commit/submit/commands.ts";
import { createEngine } from "../../origin/engine/engine.ts";
import type { Outcome } from "../../origin/engine/outcome.ts";
import { parseCommandId } from "../../origin/journal/command-text.ts";
import { faultOfNext, type JournalEntry, readJournal, START } from "../../origin/journal/journal.ts";
import { changesFrom, commandsIn, resultIn } from "../../origin/journal/journal-body.ts";
import { COMMANDS_KEY } from "../../origin/journal/keys.ts";

/** An answer that a client received. */
export type Acknowledged = { readonly commandId: string; readonly sequence: number; readonly outcome: Outcome };

type Audit = { readonly acknowledged?: readonly Acknowledged[] };

/**
 * Inspects an idle venue and asserts its invariants after any fault: the journal is a chain without gaps; nothing in it
 * was applied twice; every answer is in it; money is conserved and the books are sound; and the next engine would start
 * from the state that the journal's rows lead to, and that its commands lead to (V4).
 */
export async function auditCore(
  redis: Redis,
  { acknowledged = [] }: Audit = {},
): Promise<{ readonly entries: number }> {
  const entries = await wholeJournal(redis);
  const live = createEngine();
  const replayed = createEngine();
  const applied: string[] = [];
  for (const entry of entries) {
    live.absorb(changesFrom(entry.body));
    for (const command of commandsIn(entry) ?? []) {
      replayed.apply(command);
      // A tick has no submitter, and may come any number of times.
      if (command.kind !== "tick") applied.push(identityOf(command.id));
    }
    replayed.takeChanges();
  }
  expect(live.verify()).toEqual([]);
  expect(applied.length).toBe(new Set(applied).size);
  expect(replayed.stateHash()).toBe(live.stateHash());

  const recovered = await recover(redis);
  if (!recovered.ok) throw new Error(recovered.reason);
  expect(await catchUp(redis, recovered.value)).toMatchObject({ ok: true });
  expect(await faultsOf(redis, recovered.value)).toEqual([]);
  expect(recovered.value.engine.stateHash()).toBe(live.stateHash());

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

/** Of a command that was handed over in memory: the process and its number, not the entry. */
function identityOf(commandId: string): string {
  const place = parseCommandId(commandId);
  if (place === undefined) throw new Error(`${commandId} is no command's id`);
  return "entryId" in place ? commandId : `${place.node} ${place.number}`;
}

function expectInJournal(entries: readonly JournalEntry[], { commandId, sequence, outcome }: Acknowledged): void {
  const entry = entries[sequence - 1];
  const place = parseCommandId(commandId);
  if (entry === undefined || place === undefined)
    throw new Error(`nothing is known of command ${commandId}, which was acknowledged`);
  const result = resultIn(entry.body, place);
  expect(result?.outcome.kind, commandId).toBe(outcome.kind);
  if (outcome.kind === "order" && result?.outcome.kind === "order") {
    expect(result.outcome.order.id).toBe(outcome.order.id);
    expect(result.outcome.trades).toEqual(outcome.trades);
  }
}

/** Checks every append: a repeated one would be an order placed twice. */
export function watchAppends(redis: Redis): { readonly stop: () => Promise<number> } {
  const appends = new Set<string>();
  const reader = redis.duplicate();
  reader.on("error", () => {});
  let last = "0-0";
  let appendCount = 0;
  let isStopping = false;

  async function read(): Promise<void> {
    const reply = await reader.xread("COUNT", 1_000, "BLOCK", 20, "STREAMS", COMMANDS_KEY, last);
    for (const [id, fields] of reply?.[0]?.[1] ?? []) {
      appends.add(`${fields[1]} ${fields[3]}`);
      appendCount++;
      last = id;
    }
  }

  async function run(): Promise<void> {
    while (!isStopping) await read().catch(() => new Promise((resolve) => setTimeout(resolve, 20)));
  }

  const running = run();
  return {
    stop: async () => {
      isStopping = true;
      await running;
      await read().catch(() => {});
      reader.disconnect();
      expect(appends.size).toBe(appendCount);
      return appendCount;
    },
  };
}

export function toldOf(answers: readonly Submitted[]): readonly Acknowledged[] {
  return answers.flatMap((answer) => (answer.kind === "committed" ? [answer] : []));
}
