import { setImmediate as nextTurn } from "node:timers/promises";
import type { Redis } from "ioredis";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { Changes } from "../engine/changes.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { loadState, type OnProgress } from "../projections/load-state.ts";
import { faultOfNext, firstEntry, type JournalPosition, lastEntry, readJournal } from "./journal.ts";
import { changesFrom } from "./journal-body.ts";
import { OFFSET_KEY } from "./keys.ts";
import { createNameMemory, type NameBounds, type NameMemory } from "./name-memory.ts";
import { readNonces } from "./recent-nonces.ts";

/** An engine's memory, and the last journal entry that is in it. */
export type Recovered = { readonly engine: Engine; readonly names: NameMemory; position: JournalPosition };

const READ_ENTRIES_MAX = 100;

/** Memory from the projected state. What is wrong with it is told in a sentence: nobody should trade on it. */
export async function recover(redis: Redis, { nameBounds, onProgress }: RecoverOptions = {}): Promise<Result<Recovered, string>> {
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

/** Others in this process get their turn in between. */
async function absorbInSteps(engine: Engine, { balances, orders, references, ...rest }: Changes): Promise<void> {
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
  engine.absorb({ ...nothing, balances: [], orders: [], references });
}

/** Takes in what the journal has beyond the memory's position: for a standby again and again, for a new leader once, to the end. */
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
 * What a new leader finds wrong, in sentences, once nobody else can commit any more: the journal against the place that commits have reached, and the
 * memory against itself.
 */
export async function faultsOf(redis: Redis, { engine, position }: Recovered): Promise<readonly string[]> {
  const offset = await readOffset(redis);
  const first = await firstEntry(redis);
  const last = await lastEntry(redis);
  const faults = [...engine.verify()];
  if (offset.sequence !== position.sequence)
    faults.push(`commits have reached ${offset.sequence}, and the journal ends at ${position.sequence}`);
  else if (offset.hash !== position.hash) faults.push(`the last commit and journal entry ${position.sequence} have different hashes`);
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
