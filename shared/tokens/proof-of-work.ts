/**
 * The proof of work, as the gate and its clients agree on it. A proof is a number that, appended to the challenge's id,
 * gives a SHA-256 with the required number of leading zero bits: the client searches for it, the gate computes it once.
 */
export function proofText(challengeId: string, nonce: number | string): string {
  return `${challengeId}:${nonce}`;
}

/** Fewer bits are no work for a phone; more are too much. */
export const PROOF_BITS_MIN = 8;
export const PROOF_BITS_MAX = 24;

export function leadingZeroBits(digest: Uint8Array): number {
  let bits = 0;
  for (const byte of digest) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24;
    bits += 8;
  }
  return bits;
}
