import { createRemoteJWKSet } from "jose";
import type { Logger } from "pino";
import { fail } from "../../../shared/result.ts";
import type { FoundKey, TokenKeys } from "../../../shared/tokens/verify-token.ts";
import { foundIn, importKeyTable, jwksSchema, type KeyTable } from "./known-keys.ts";

/**
 * The gate's keys, fetched from its key set. A known key is answered immediately, also while the gate is unavailable.
 * An unknown key is looked up again: one fetch for all callers and never two within the cooldown, so that invented kids
 * cause no storm of requests. A key that the gate withdrew is gone after the next refresh.
 */
type FetchedKeysOptions = {
  readonly url: URL;
  readonly log: Pick<Logger, "info" | "warn">;
  /** For durations: monotonic. */
  readonly monotonicMs?: () => number;
};

const FETCH_TIMEOUT_MS = 1_000;
/** Refreshed in the background after the answer. */
export const REFRESH_AFTER_MS = 60_000;
/**
 * After this long without an answer from the gate its old keys are invalid: one of them may have been withdrawn for a
 * reason.
 */
export const STALE_MS_MAX = 60 * 60_000;
/** Between the end of one fetch and the next. */
export const COOLDOWN_MS = 2_000;

export function fetchedKeys({ url, log, monotonicMs = () => performance.now() }: FetchedKeysOptions): TokenKeys {
  const remote = createRemoteJWKSet(url, { timeoutDuration: FETCH_TIMEOUT_MS });
  let table: KeyTable = new Map();
  let loadedAtMs = Number.NEGATIVE_INFINITY;
  let attemptedAtMs = Number.NEGATIVE_INFINITY;
  let attemptFailed = true;
  let pending: Promise<void> | undefined;

  async function load(): Promise<void> {
    try {
      await remote.reload();
      const before = [...table.keys()];
      table = await importKeyTable(jwksSchema.parse(remote.jwks()), table);
      loadedAtMs = monotonicMs();
      attemptFailed = false;
      const kids = [...table.keys()];
      if (kids.join() !== before.join()) log.info({ kids }, "loaded the gate's keys");
    } catch (error) {
      attemptFailed = true;
      log.warn({ err: error }, "the gate's keys cannot be loaded");
    } finally {
      attemptedAtMs = monotonicMs();
      pending = undefined;
    }
  }

  /** Never rejects. */
  function refresh(): Promise<void> {
    if (pending === undefined && monotonicMs() - attemptedAtMs < COOLDOWN_MS) return Promise.resolve();
    pending ??= load();
    return pending;
  }

  function ageMs(): number {
    return monotonicMs() - loadedAtMs;
  }

  function lookUp(kid: string): FoundKey {
    return ageMs() < STALE_MS_MAX ? foundIn(table, kid) : fail("keys_unavailable");
  }

  async function lookUpAnew(kid: string): Promise<FoundKey> {
    await refresh();
    const found = lookUp(kid);
    return found.ok || !attemptFailed ? found : fail("keys_unavailable");
  }

  return {
    find: (kid) => {
      const found = lookUp(kid);
      if (!found.ok) return lookUpAnew(kid);
      if (ageMs() >= REFRESH_AFTER_MS) void refresh();
      return found;
    },
  };
}
