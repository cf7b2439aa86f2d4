/** A 64-bit hash in two lanes of 32. It distinguishes states and contents; it is not cryptographic. */
export type Hash = { low: number; high: number };

export function hashText(text: string): Hash {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
    low = (low << 13) | (low >>> 19);
    high = (high << 17) | (high >>> 15);
  }
  low = finish(low ^ text.length);
  high = finish(high ^ low);
  return { low, high };
}

/** Addition is commutative, so that a table can be hashed row by row in any order. */
export function addHash(sum: Hash, hash: Hash): void {
  const low = (sum.low >>> 0) + (hash.low >>> 0);
  sum.high = (sum.high + hash.high + (low > 0xffffffff ? 1 : 0)) | 0;
  sum.low = low | 0;
}

export function formatHash({ low, high }: Hash): string {
  return (high >>> 0).toString(16).padStart(8, "0") + (low >>> 0).toString(16).padStart(8, "0");
}

function finish(lane: number): number {
  let mixed = lane ^ (lane >>> 16);
  mixed = Math.imul(mixed, 0x21f0aaad);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x735a2d97);
  return mixed ^ (mixed >>> 15);
}
