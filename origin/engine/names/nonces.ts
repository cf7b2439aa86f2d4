import type { Command, Nonce } from "../command.ts";
import { NONCE_MS_MAX } from "../limits.ts";
import type { RejectCode } from "../outcome.ts";
import type { EngineState } from "../state.ts";

/**
 * The nonces of signed requests that could still be sent again, by the second in which that ends, so that a whole
 * second is forgotten at once. All of it follows from the commands and their times.
 */
export type Nonces = {
  readonly bySecond: Map<number, Set<string>>;
  count: number;
  /** In milliseconds: nothing expires before. */
  forgetAt: number;
};

const SECOND_MS = 1_000;

export function createNonces(): Nonces {
  return { bySecond: new Map(), count: 0, forgetAt: Number.POSITIVE_INFINITY };
}

/** Called with the engine's time, before any lookup. */
export function forgetNonces(nonces: Nonces, at: number): void {
  if (at < nonces.forgetAt) return;
  nonces.forgetAt = Number.POSITIVE_INFINITY;
  // As many as a nonce has seconds.
  for (const [second, ids] of nonces.bySecond) {
    if (second * SECOND_MS <= at) {
      nonces.count -= ids.size;
      nonces.bySecond.delete(second);
    } else nonces.forgetAt = Math.min(nonces.forgetAt, second * SECOND_MS);
  }
}

/**
 * Why a signed request's command must not be executed; undefined once its nonce is remembered, whatever the command's
 * outcome. A request whose nonce could be forgotten already is refused: it may be a repetition.
 */
export function nonceFault(state: EngineState, { nonce, at }: Command): RejectCode | undefined {
  if (nonce === undefined) return undefined;
  if (!isSound(nonce, at) || secondOf(nonce) * SECOND_MS <= state.at) return "request_expired";
  if (state.nonces.bySecond.get(secondOf(nonce))?.has(nonce.id) === true) return "request_replayed";
  if (state.nonces.count >= state.bounds.noncesMax) return "nonces_full";
  rememberNonce(state, nonce);
  state.log.nonces.push(nonce);
  return undefined;
}

/** Also for a nonce from the journal, which may be known or expired already. */
export function rememberNonce({ nonces, at }: EngineState, nonce: Nonce): void {
  const second = secondOf(nonce);
  if (second * SECOND_MS <= at) return;
  const ids = nonces.bySecond.get(second) ?? new Set();
  nonces.count -= ids.size;
  ids.add(nonce.id);
  nonces.count += ids.size;
  nonces.bySecond.set(second, ids);
  nonces.forgetAt = Math.min(nonces.forgetAt, second * SECOND_MS);
}

const secondOf = ({ until }: Nonce) => Math.ceil(until / SECOND_MS);

function isSound({ id, until }: Nonce, at: number): boolean {
  return id !== "" && Number.isSafeInteger(until) && until - at <= NONCE_MS_MAX;
}
