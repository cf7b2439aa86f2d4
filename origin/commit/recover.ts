import type { Redis } from "ioredis";
import { fail, ok, type Result } from "../../shared/result.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { loadState } from "../projections/load-state.ts";
import { faultOfNext, firstEntry, type JournalPosition, lastEntry, readJournal } from "./journal.ts";
import { changesFrom } from "./journal-body.ts";
import { OFFSET_KEY } from "./keys.ts";
import { createNameMemory, type NameBounds, type NameMemory } from "./name-memory.ts";
import { readNonces } from "./recent-nonces.ts";

/** An engine's memory, and the last journal entry that is in it. */
export type Recovered = { readonly engine: Engine; readonly names: NameMemory; position: JournalPosition };

const READ_ENTRIES_MAX = 100;

/** Memory from the projected state. What is wrong with it is told in a sentence: nobody should trade on it. */
export async function recover(redis: Redis, nameBounds?: NameBounds): Promise<Result<Recovered, string>> {
  const loaded = await loadState(redis);
  if (!loaded.ok) return loaded;
  const engine = createEngine();
  const { changes, nameCounts, position } = loaded.value;
  const nonces = await readNonces(redis, { sequence: position.sequence, timeMs: changes.at });
  engine.absorb({ ...changes, nonces });
  engine.names.load({ counts: nameCounts, completeFrom: changes.at + 1 });
  return ok({ engine, names: createNameMemory(redis, engine, nameBounds), position });
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
