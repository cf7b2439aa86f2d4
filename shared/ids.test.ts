import { describe, expect, it } from "vitest";
import { newId, newSecret, systemRandom } from "./ids.ts";

describe("newId", () => {
  it("writes 16 random bytes as 22 characters of base64url", () => {
    const bytes = (fill: Uint8Array<ArrayBuffer>) => {
      fill.set([0xff, 0xfe, 0xfd, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255]);
      return fill;
    };
    expect(newId(bytes)).toBe("__79AAECAwQFBgcICQoL_w");
    expect(newId(systemRandom)).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it("does not repeat itself", () => {
    const ids = new Set(Array.from({ length: 1_000 }, () => newId(systemRandom)));
    expect(ids.size).toBe(1_000);
  });
});

describe("systemRandom", () => {
  it("fills every byte, however many are asked for, and none twice", () => {
    for (const length of [1, 4, 4_095, 4_096, 4_097, 20_000]) {
      const zeros = systemRandom(new Uint8Array(length)).filter((byte) => byte === 0).length;
      // One in 256 is expected; a byte that was left out or handed out before would be zero.
      expect(zeros, `${length} bytes`).toBeLessThan(length / 64 + 4);
    }
  });
});

describe("newSecret", () => {
  it("carries 256 bits", () => {
    expect(newSecret(systemRandom)).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});
