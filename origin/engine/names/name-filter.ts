import { hashText } from "../hash.ts";

/**
 * A Bloom filter of the names that have left memory: a name that it does not know has not left. Most names are new, so
 * the store need not be asked about them. The filter decides which questions are asked, never the outcome of a command.
 */
export type NameFilter = {
  /** The newest generation with names. Two more are kept. */
  newest: number;
  /** By generation, as far as there are names. */
  readonly bits: (Uint32Array | undefined)[];
};

/** So that three generations hold every name of 24 hours. */
const GENERATION_MS = 12 * 60 * 60 * 1_000;
const GENERATIONS = 3;
/**
 * 8 MiB for a generation, taken when the first name leaves. With five million names, one new name in 150 causes a
 * needless question.
 */
const BITS = 2 ** 26;
const BITS_PER_NAME = 4;

export function createNameFilter(): NameFilter {
  return { newest: 0, bits: [] };
}

export function putName(filter: NameFilter, key: string, at: number): void {
  const generation = Math.floor(at / GENERATION_MS);
  for (let passed = Math.max(filter.newest + 1, generation - GENERATIONS + 1); passed <= generation; passed++) {
    filter.bits[passed % GENERATIONS]?.fill(0);
    filter.newest = passed;
  }
  // Older than a day: it is never looked up.
  if (generation <= filter.newest - GENERATIONS) return;
  const place = generation % GENERATIONS;
  filter.bits[place] ??= new Uint32Array(BITS / 32);
  eachBit(key, (word, mask) => {
    const words = filter.bits[place] as Uint32Array;
    words[word] = (words[word] as number) | mask;
    return true;
  });
}

export function mayHaveName({ bits }: NameFilter, key: string): boolean {
  return bits.some(
    (words) => words !== undefined && eachBit(key, (word, mask) => ((words[word] as number) & mask) !== 0),
  );
}

/** False as soon as one visit says so. */
function eachBit(key: string, visit: (word: number, mask: number) => boolean): boolean {
  const { low, high } = hashText(key);
  for (let index = 0; index < BITS_PER_NAME; index++) {
    const bit = (low + Math.imul(index, high | 1)) & (BITS - 1);
    if (!visit(bit >>> 5, 1 << (bit & 31))) return false;
  }
  return true;
}
