/**
 * What the gate and whoever solves its challenges must agree on. A proof is a number that, behind the challenge's id, makes a
 * SHA-256 with as many leading zero bits as were asked for: tried out on one side, looked at once on the other.
 */
export function proofText(challengeId: string, nonce: number | string): string {
  return `${challengeId}:${nonce}`;
}

/** Below, a phone would not notice; above, it would give up. */
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
