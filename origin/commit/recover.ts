import { setImmediate as nextTurn } from "node:timers/promises";
import type { Redis } from "ioredis";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { Changes } from "../engine/changes.ts";
import type { Nonce } from "../engine/command.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { NONCE_MS_MAX } from "../engine/limits.ts";
import {
  faultOfNext,
  firstEntry,
  type JournalPosition,
  lastEntry,
  readJournal,
  readJournalBackwards,
} from "../journal/journal.ts";
import { bodyTime, changesFrom, noncesIn } from "../journal/journal-body.ts";
import { OFFSET_KEY } from "../journal/keys.ts";
import { loadState, type OnProgress } from "../state/load-state.ts";
import { createNameMemory, type NameBounds, type NameMemory } from "./name-memory.ts";

/** An engine's memory, and the last journal entry that is in it. */
export type Recovered = { readonly engine: Engine; readonly names: NameMemory; position: JournalPosition };

const READ_ENTRIES_MAX = 100;

/** Loads memory from the projected state. A failure is a sentence on why the state must not be traded on. */
export async function recover(
  redis: Redis,
  { nameBounds, onProgress }: RecoverOptions = {},
): Promise<Result<Recovered, string>> {
  const loaded = await loadState(redis, onProgress && { onProgress });
  if (!loaded.ok) return loaded;
  const engine = createEngine();
  const { changes, nameCounts, position } = loaded.value;
  const nonces = await readNonces(redis, { sequence: position.sequence, timeMs: changes.at });
  await absorbInSteps(engine, { ...changes, nonces });
  engine.names.load({ counts: nameCounts, completeFrom: changes.at + 1 });
  return ok({ engine, names: createNameMemory(redis, engine, nameBounds), position });
}

type RecoverOptions = { readonly nameBounds?: NameBounds | undefined; readonly onProgress?: OnProgress };

const ROWS_PER_STEP = 5_000;

/** The event loop runs in between. */
async function absorbInSteps(
  engine: Engine,
  { balances, orders, references, lists = [], ...rest }: Changes,
): Promise<void> {
  engine.absorb({ ...rest, balances: [], orders: [], references: [] });
  const nothing = { ...rest, currencies: [], pairs: [], users: [], references: [] };
  for (let from = 0; from < balances.length; from += ROWS_PER_STEP) {
    engine.absorb({ ...nothing, orders: [], balances: balances.slice(from, from + ROWS_PER_STEP) });
    await nextTurn();
  }
  for (let from = 0; from < orders.length; from += ROWS_PER_STEP) {
    engine.absorb({ ...nothing, balances: [], orders: orders.slice(from, from + ROWS_PER_STEP) });
    await nextTurn();
  }
  // A list is known by its orders.
  engine.absorb({ ...nothing, balances: [], orders: [], references, lists });
}

/** Absorbs the entries after the memory's position: a standby does so repeatedly, a new leader once, to the end. */
export async function catchUp(redis: Redis, recovered: Recovered): Promise<Result<number, string>> {
  let count = 0;
  for (;;) {
    const entries = await readJournal(redis, recovered.position.sequence, READ_ENTRIES_MAX);
    for (const entry of entries) {
      const fault = faultOfNext(recovered.position, entry);
      if (fault !== undefined) return fail(fault);
      recovered.engine.absorb(changesFrom(entry.body));
      recovered.position = entry;
    }
    recovered.names.note(recovered.position.sequence);
    recovered.names.makeRoom();
    count += entries.length;
    if (entries.length < READ_ENTRIES_MAX) return ok(count);
  }
}

/**
 * The faults that a new leader finds, in sentences, once no other engine can commit: it compares the journal with the
 * offset, and memory with itself.
 */
export async function faultsOf(redis: Redis, { engine, position }: Recovered): Promise<readonly string[]> {
  const offset = await readOffset(redis);
  const first = await firstEntry(redis);
  const last = await lastEntry(redis);
  const faults = [...engine.verify()];
  if (offset.sequence !== position.sequence)
    faults.push(`commits have reached ${offset.sequence}, and the journal ends at ${position.sequence}`);
  else if (offset.hash !== position.hash)
    faults.push(`the last commit and journal entry ${position.sequence} have different hashes`);
  if (last !== undefined && last.sequence !== position.sequence)
    faults.push(`the journal ends at ${last.sequence}, and the state at ${position.sequence}`);
  if (first !== undefined && first.sequence > position.sequence + 1)
    faults.push(`the journal begins at ${first.sequence}, behind the state at ${position.sequence}`);
  return faults;
}

export async function readOffset(redis: Redis): Promise<JournalPosition> {
  const { sequence, hash, command } = await redis.hgetall(OFFSET_KEY);
  return { sequence: Number(sequence ?? 0), hash: hash ?? "", command: command ?? "" };
}

/**
 * The nonces that still count at an entry of the journal, for an engine that starts from the projected state: they are
 * only in the commands of the last minute's entries, which the journal holds for longer. A standby absorbs them with
 * each entry.
 */
async function readNonces(
  redis: Redis,
  at: { readonly sequence: number; readonly timeMs: number },
): Promise<readonly Nonce[]> {
  const nonces: Nonce[] = [];
  let before = at.sequence + 1;
  for (;;) {
    const entries = await readJournalBackwards(redis, before, READ_ENTRIES_MAX);
    for (const { body } of entries) {
      // The engine's time never goes back: all before this one are older.
      if (bodyTime(body) <= at.timeMs - NONCE_MS_MAX) return nonces;
      nonces.push(...noncesIn(body));
    }
    if (entries.length < READ_ENTRIES_MAX) return nonces;
    before = entries.at(-1)?.sequence ?? 0;
  }
}
