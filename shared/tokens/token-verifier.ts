import type { QueueId } from "../queue-id.ts";
import { fail, ok, type Result } from "../result.ts";
import { isUnexpired, type Pass, type Ticket } from "./admission.ts";
import { createTokenMemory } from "./token-memory.ts";
import {
  type AcceptedQueues,
  acceptsQueue,
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
