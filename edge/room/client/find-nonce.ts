import { proofText } from "../../../shared/tokens/proof-of-work.ts";
import { firstWordOfSha256 } from "./sha256.ts";

export type Puzzle = { readonly id: string; readonly bits: number };

type Range = { readonly from: number; readonly count: number };

/** The first number of the range that solves the puzzle, if one does. */
export function findNonce({ id, bits }: Puzzle, { from, count }: Range): number | undefined {
  for (let nonce = from; nonce < from + count; nonce++) {
    if (firstWordOfSha256(proofText(id, nonce)) >>> (32 - bits) === 0) return nonce;
  }
  return undefined;
}
