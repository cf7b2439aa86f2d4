import { assert } from "../../../shared/assert.ts";
import type { Clock, StoreClock } from "../../../shared/clock.ts";
import type { ScriptRunner } from "../../../shared/store/define-script.ts";
import { PASS_LIFETIME_SECONDS_MAX, type Pass } from "../../../shared/tokens/admission.ts";
import type { EndReason } from "../../line/answer.ts";
import { queueKeys, revocationKey, revokedAllKey } from "../../line/keys.ts";
import type { Later } from "../../proxy/platform.ts";
import { log } from "../../request/log.ts";
import { createFreshValue } from "../outage/fresh-value.ts";
import { type GuardedStore, StoreUnavailable } from "../outage/outage.ts";
import { isRevokedScript, revocationsScript } from "./revocation-scripts.ts";

/**
 * The passes of a queue that were ended early. `fast` follows the queue's feed, which every isolate reads again within
 * 2 s, and makes no call; `strict` asks the store each time. While the store is unavailable or slow, the last known
 * feed decides: a pass that is not in it is served.
 */
export type Revocations = {
  /** At once wherever the feed is young enough to say. */
  readonly isRevoked: (pass: Pass, check: RevocationCheck) => boolean | Promise<boolean>;
  /** Reads the feed, and with it the store's time, before the first token is signed or read. Never rejects. */
  readonly prepare: (later: Later, withinMs?: number) => Promise<void>;
  /** This isolate ended it itself and does not wait for the feed. */
  readonly learn: (id: string, reason?: EndReason) => void;
  /** This isolate has just revoked it, so that the store may not know yet. */
  readonly isLearnedAsRevoked: (sessionId: string) => boolean;
};

type RevocationCheck = {
  readonly mode: "fast" | "strict";
  readonly later: Later;
  /** On whose time the store is asked, where it must be. */
  readonly store: ScriptRunner & { readonly remainingMs?: () => number };
};

type RevocationsOptions = {
  readonly queueId: string;
  readonly store: GuardedStore;
  readonly ownClock: Clock;
  readonly storeClock: StoreClock;
  readonly idsMax?: number;
};

const REFRESH_AFTER_MS = 700;
const STALE_AFTER_MS = 1_900;
/** One reply has at most some 50 kB. */
const TOLD_MAX = 2_000;
/** About 100 bytes each. */
const IDS_MAX = 50_000;
/** The store learns of it in the background, within one call's patience. */
const TOLD_WITHIN_MS = 2_000;
const REVOKED_HERE_MAX = 1_000;
/** Read again each time, so that a small step of the store's clock loses nothing. */
const OVERLAP_MS = 1_000;

/** All revocations from `completeSinceMs` on are known, as of `toldAtMs` (both the store's time). */
type Feed = { readonly toldAtMs: number; readonly completeSinceMs: number };

export function createRevocations({
  queueId,
  store,
  ownClock,
  storeClock,
  idsMax = IDS_MAX,
}: RevocationsOptions): Revocations {
  /** Session or pass -> when the feed reported it. */
  const ended = new Map<string, number>();
  /** Passes older than what the feed knows, about which the store was asked once. */
  const cleared = new Set<string>();
  /** Those that this isolate has revoked itself, and when: the store knows them soon. */
  const revokedHere = new Map<string, number>();

  async function readFeed(known: Feed | undefined): Promise<Feed> {
    const askedAtMs = ownClock.nowMs();
    const sinceMs = Math.max(
      0,
      known === undefined ? storeClock.nowMs() - PASS_LIFETIME_SECONDS_MAX * 1000 : known.toldAtMs - OVERLAP_MS,
    );
    const keys = { revoked: queueKeys(queueId).revoked, all: revokedAllKey(queueId) };
    const [toldAtMs, toldSinceMs, ...ids] = await revocationsScript.run(store.once, {
      keys,
      args: { sinceMs, limit: TOLD_MAX },
    });
    storeClock.learn({ storeMs: toldAtMs, askedAtMs });
    for (const id of ids) if (!ended.has(id)) ended.set(id, toldAtMs);
    const isUnbroken = known !== undefined && toldSinceMs === sinceMs;
    // The missing entries may be about any older pass, also about one that was checked before.
    if (!isUnbroken) cleared.clear();
    return { toldAtMs, completeSinceMs: Math.max(isUnbroken ? known.completeSinceMs : toldSinceMs, forgetOldest()) };
  }

  /** From when on nothing was forgotten. */
  function forgetOldest(): number {
    let completeSinceMs = 0;
    for (const [id, toldAtMs] of ended) {
      if (ended.size <= idsMax) break;
      ended.delete(id);
      completeSinceMs = toldAtMs + 1;
    }
    assert(ended.size <= idsMax, "the memory of revocations is bounded");
    return completeSinceMs;
  }

  const feed = createFreshValue<Feed>({
    load: readFeed,
    onFailure: (error) => log("warn", "cannot read the revocation feed", { queueId, error }),
    clock: ownClock,
    refreshAfterMs: REFRESH_AFTER_MS,
    staleAfterMs: STALE_AFTER_MS,
    patience: store.patience,
    silence: store.silence,
  });

  const isKnown = (pass: Pass) => ended.has(pass.sessionId) || ended.has(pass.jti);

  async function ask(
    { sessionId, jti, issuedAtSeconds }: Pass,
    runner: ScriptRunner,
  ): Promise<boolean | "unavailable"> {
    try {
      const keys = {
        session: revocationKey(queueId, sessionId),
        pass: revocationKey(queueId, jti),
        all: revokedAllKey(queueId),
      };
      return (await isRevokedScript.run(runner, { keys, args: { issuedAtMs: issuedAtSeconds * 1000 } })) === 1;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) log("error", "cannot check a pass for revocation", { queueId, error });
      return "unavailable";
    }
  }

  async function askOnce(pass: Pass, runner: ScriptRunner): Promise<boolean> {
    if (cleared.has(pass.jti)) return false;
    const answer = await ask(pass, runner);
    if (answer === "unavailable") return false;
    if (answer) ended.set(pass.jti, storeClock.nowMs());
    else if (cleared.size < idsMax) cleared.add(pass.jti);
    return answer;
  }

  /** Only a pass that is older than what the feed knows is asked about. */
  function isTold(pass: Pass, told: Feed | undefined, runner: ScriptRunner): boolean | Promise<boolean> {
    if (isKnown(pass)) return true;
    return pass.issuedAtSeconds * 1000 < (told?.completeSinceMs ?? 0) && askOnce(pass, runner);
  }

  return {
    isRevoked(pass, check) {
      if (isKnown(pass)) return true;
      if (check.mode === "strict") return ask(pass, check.store).then((answer) => answer === true);
      const known = feed.get(check.later, check.store.remainingMs?.());
      return known instanceof Promise
        ? known.then((told) => isTold(pass, told, check.store))
        : isTold(pass, known, check.store);
    },
    async prepare(later, withinMs) {
      await feed.get(later, withinMs);
    },
    learn(id, reason) {
      ended.set(id, storeClock.nowMs());
      if (reason !== "revoked") return;
      if (revokedHere.size >= REVOKED_HERE_MAX) revokedHere.clear();
      revokedHere.set(id, ownClock.nowMs());
    },
    isLearnedAsRevoked: (id) =>
      Math.abs(ownClock.nowMs() - (revokedHere.get(id) ?? Number.NEGATIVE_INFINITY)) < TOLD_WITHIN_MS,
  };
}
