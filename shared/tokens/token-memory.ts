import { assert } from "../assert.ts";

/**
 * Remembers tokens that were verified, so that the next request with the same one costs a lookup instead of a signature
 * check. It does not judge validity: the caller checks expiry and key of an entry again.
 *
 * The key is the token's own text, not a digest of it: the map hashes it anyway and compares all of it, so that no
 * other token can ever be taken for it, while a SHA-256 costs ten times the whole lookup. Only tokens that we signed
 * get in, so an attacker cannot fill it.
 */
export type TokenMemory<Entry> = {
  readonly recall: (token: string) => Entry | undefined;
  readonly remember: (token: string, entry: Entry, nowMs: number) => void;
  readonly forget: (token: string) => void;
  readonly size: () => number;
};

/** Each new entry removes a few expired ones from the old end: more than come in, and never in one long pause. */
const EXPIRED_PER_INSERT_MAX = 4;

type Options<Entry> = {
  readonly entriesMax: number;
  readonly isUnexpired: (entry: Entry, nowMs: number) => boolean;
};

/**
 * When full, the oldest goes: to verify a busy visitor again after thousands of others costs less than an order kept on
 * each hit.
 */
export function createTokenMemory<Entry>({ entriesMax, isUnexpired }: Options<Entry>): TokenMemory<Entry> {
  assert(entriesMax >= 1, "a memory holds at least one token");
  const entries = new Map<string, Entry>();

  function dropExpired(nowMs: number): void {
    let looked = 0;
    for (const [token, entry] of entries) {
      if (looked++ >= EXPIRED_PER_INSERT_MAX || isUnexpired(entry, nowMs)) return;
      entries.delete(token);
    }
  }

  function dropOldest(): void {
    const oldest = entries.keys().next();
    if (!oldest.done) entries.delete(oldest.value);
  }

  return {
    recall: (token) => entries.get(token),
    remember: (token, entry, nowMs) => {
      dropExpired(nowMs);
      if (entries.size >= entriesMax && !entries.has(token)) dropOldest();
      entries.set(ownCopy(token), entry);
      assert(entries.size <= entriesMax, "the memory of tokens is bounded");
    },
    forget: (token) => void entries.delete(token),
    size: () => entries.size,
  };
}

/**
 * A token cut out of a cookie header is a view that keeps the whole header in memory; the bytes once through are a
 * string of its own.
 */
function ownCopy(token: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(token));
}
