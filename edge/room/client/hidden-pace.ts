/** A hidden tab polls this much less often, as long as its turn is far. */
const HIDDEN_FACTOR = 3;
const SHARE_OF_SILENCE = 0.5;
const SHARE_OF_WAIT = 0.25;

type Pace = { readonly pollAfterMs: number; readonly lowSeconds: number; readonly silenceMsMax: number };

/** Slower, but never so slow that the line would take the visitor for gone, nor that the turn could come in between. */
export function hiddenPace({ pollAfterMs, lowSeconds, silenceMsMax }: Pace): number {
  const bound = Math.min(silenceMsMax * SHARE_OF_SILENCE, lowSeconds * 1000 * SHARE_OF_WAIT);
  return Math.max(pollAfterMs, Math.min(pollAfterMs * HIDDEN_FACTOR, bound));
}
