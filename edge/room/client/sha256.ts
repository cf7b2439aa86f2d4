/**
 * The first 32 bits of the SHA-256 (FIPS 180-4) of a text of at most 55 ASCII characters: one block. The browser's own
 * is made for long texts, takes longer to call than to compute, and is not there on pages without https.
 */
export function firstWordOfSha256(text: string): number {
  words.fill(0);
  for (let at = 0; at < text.length; at++) addByte(at, text.charCodeAt(at));
  addByte(text.length, 0x80);
  words[15] = text.length * 8;
  for (let t = 16; t < 64; t++) {
    const early = word(t - 15);
    const late = word(t - 2);
    const spreadEarly = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const spreadLate = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[t] = word(t - 16) + spreadEarly + word(t - 7) + spreadLate;
  }
  return compress();
}

function compress(): number {
  let [a, b, c, d, e, f, g, h] = START;
  // Eight assignments, not one of lists: this is where all the time goes.
  for (let t = 0; t < 64; t++) {
    const big = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const one = (h + big + ((e & f) ^ (~e & g)) + (ROUNDS[t] ?? 0) + word(t)) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  return (a + START[0]) >>> 0;
}

const words = new Int32Array(64);

function word(t: number): number {
  return words[t] ?? 0;
}

function addByte(at: number, byte: number): void {
  words[at >> 2] = word(at >> 2) | (byte << (24 - 8 * (at & 3)));
}

function turn(value: number, bits: number): number {
  return (value >>> bits) | (value << (32 - bits));
}

/** The standard's constants: the first bits behind the point of the roots of the first primes. */
function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) | 0;
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number++) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return primes;
}

const PRIMES = firstPrimes(64);
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)));
type State = [number, number, number, number, number, number, number, number];
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))) as State;
