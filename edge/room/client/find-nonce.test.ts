import { describe, expect, it } from "vitest";
import { leadingZeroBits, PROOF_BITS_MAX, proofText } from "../../../shared/tokens/proof-of-work.ts";
import { sha256 } from "../../../shared/tokens/same-bytes.ts";
import { findNonce } from "./find-nonce.ts";
import { firstWordOfSha256 } from "./sha256.ts";

const ID = "AAAAAAAAAAAAAAAAAAAAAA";

async function firstWordByPlatform(text: string): Promise<number> {
  const digest = await sha256(text);
  return new DataView(digest.buffer).getUint32(0);
}

describe("the page's SHA-256", () => {
  it("agrees with the platform's on every length that fits into a block, and on many texts", async () => {
    const lengths = Array.from({ length: 56 }, (_, length) => "x".repeat(length));
    const texts = Array.from({ length: 500 }, (_, nonce) => proofText(ID, nonce * 7_919));
    for (const text of [...lengths, ...texts])
      expect([text, firstWordOfSha256(text)]).toEqual([text, await firstWordByPlatform(text)]);
  });
});

describe("leading zero bits", () => {
  it.each([
    [[0xff], 0],
    [[0x7f], 1],
    [[0x01], 7],
    [[0x00, 0x80], 8],
    [[0x00, 0x00, 0x01], 23],
    [[0x00, 0x00, 0x00], 24],
  ])("of %j are %i", (bytes, bits) => {
    expect(leadingZeroBits(Uint8Array.from(bytes))).toBe(bits);
  });
});

describe("the solver", () => {
  it("finds the first number that has the zeros, as the gate counts them", async () => {
    for (const bits of [8, 12]) {
      const nonce = findNonce({ id: ID, bits }, { from: 0, count: 1_000_000 }) ?? -1;
      expect(leadingZeroBits(await sha256(proofText(ID, nonce)))).toBeGreaterThanOrEqual(bits);
      expect(findNonce({ id: ID, bits }, { from: 0, count: nonce })).toBeUndefined();
    }
  });

  it("finds nothing where there is nothing", () => {
    expect(findNonce({ id: ID, bits: PROOF_BITS_MAX }, { from: 0, count: 10 })).toBeUndefined();
  });
});
