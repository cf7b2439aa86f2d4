import { assert } from "../assert.ts";
import type { QueueId } from "../queue-id.ts";
import { fail, ok, type Result } from "../result.ts";
import { type AcceptedQueues, acceptsQueue, isUnexpired, type Pass, type Ticket } from "./admission.ts";
import {
  type FoundKey,
  type TokenKeys,
  type TokenRefusal,
  type Verification,
  type VerifiedToken,
  verifyPass,
  verifyTicket,
} from "./verify-token.ts";

/**
 * Verification with a memory: a remembered token is valid while it is unexpired, its key is still among the keys and
 * the caller accepts its queue. All three are checked each time, so that remembering never makes a token valid.
 */
export type TokenVerifier = {
  readonly ticket: Verify<Ticket>;
  readonly pass: Verify<Pass>;
};

export type Expected = { readonly queueIds: AcceptedQueues; readonly nowMs: number };

/** Synchronous for a remembered token while the keys are loaded: a promise per admitted request would cost time. */
type Verify<Content> = (token: string, expected: Expected) => Verdict<Content> | Promise<Verdict<Content>>;

type Verdict<Content> = Result<Content, TokenRefusal>;

type VerifierOptions = {
  readonly issuer: string;
  readonly keys: TokenKeys;
  /** For each kind. */
  readonly rememberedMax?: number;
};

/** About 1 kB each, so some 10 MB of an isolate's 128. */
const REMEMBERED_MAX = 10_000;

export function createTokenVerifier({ issuer, keys, rememberedMax = REMEMBERED_MAX }: VerifierOptions): TokenVerifier {
  return {
    ticket: remembering(verifyTicket, { issuer, keys, rememberedMax }),
    pass: remembering(verifyPass, { issuer, keys, rememberedMax }),
  };
}

type Dated = { readonly queueId: QueueId; readonly expiresAtSeconds: number };

type Remembered<Content> = VerifiedToken<Content> & { readonly verifiedAtMs: number };

function remembering<Content extends Dated>(
  verify: (token: string, verification: Verification) => Promise<Result<VerifiedToken<Content>, TokenRefusal>>,
  { issuer, keys, rememberedMax }: Required<VerifierOptions>,
): Verify<Content> {
  const memory = createTokenMemory<Remembered<Content>>({
    entriesMax: rememberedMax,
    isUnexpired: (entry, nowMs) => isUnexpired(entry.content, nowMs),
  });

  async function read(token: string, { queueIds, nowMs }: Expected): Promise<Verdict<Content>> {
    const verified = await verify(token, { issuer, keys, queueIds, nowMs });
    if (!verified.ok) return verified;
    memory.remember(token, { ...verified.value, verifiedAtMs: nowMs }, nowMs);
    return ok(verified.value.content);
  }

  return (token, expected) => {
    const known = memory.recall(token);
    if (known === undefined) return read(token, expected);

    function recall(found: FoundKey): Verdict<Content> | Promise<Verdict<Content>> {
      if (known !== undefined && found.ok && found.value === known.key && isCurrent(known, expected.nowMs)) {
        return acceptsQueue(expected.queueIds, known.content.queueId) ? ok(known.content) : fail("audience_wrong");
      }
      memory.forget(token);
      return read(token, expected);
    }

    const found = keys.find(known.kid);
    return found instanceof Promise ? found.then(recall) : recall(found);
  };
}

/** A clock that was set back may be before the token's beginning, so such a token is verified again. */
function isCurrent<Content extends Dated>({ content, verifiedAtMs }: Remembered<Content>, nowMs: number): boolean {
  return isUnexpired(content, nowMs) && nowMs >= verifiedAtMs;
}

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
