import { type FillRandom, newId } from "../../shared/ids.ts";
import type { QueueId } from "../../shared/queue-id.ts";
import { OPEN_SESSION_ID } from "../../shared/tokens/admission.ts";
import type { Tokens } from "./tokens.ts";

/**
 * Passes of the edge's own for requests that need no slot (mode `open`, bypass, store down with `onStoreFailure:
 * open`), so that the origin can check every request alike. One per queue and isolate, renewed at half its life.
 */
export type OpenPasses = (at: { readonly queueId: QueueId; readonly nowMs: number }) => Promise<string>;

const LIFETIME_MS = 60_000;
const RENEW_BEFORE_EXPIRY_MS = 30_000;
const QUEUES_MAX = 1_000;

export function createOpenPasses(tokens: Pick<Tokens, "signPass">, fillRandom: FillRandom): OpenPasses {
  const minted = new Map<
    QueueId,
    { readonly token: string; readonly mintedAtMs: number; readonly expiresAtMs: number }
  >();

  return async ({ queueId, nowMs }) => {
    const known = minted.get(queueId);
    // A clock that was set back would make a pass of the future out of the known one.
    if (known !== undefined && known.mintedAtMs <= nowMs && nowMs < known.expiresAtMs - RENEW_BEFORE_EXPIRY_MS)
      return known.token;
    const expiresAtMs = nowMs + LIFETIME_MS;
    const token = await tokens.signPass({
      queueId,
      sessionId: OPEN_SESSION_ID,
      jti: newId(fillRandom),
      nowMs,
      expiresAtMs,
    });
    if (minted.size >= QUEUES_MAX) minted.clear();
    minted.set(queueId, { token, mintedAtMs: nowMs, expiresAtMs });
    return token;
  };
}
