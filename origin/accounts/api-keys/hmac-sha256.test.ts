import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { hmacSha256 } from "./hmac-sha256.ts";

const TEXTS = ["", "what do ya want for nothing?", "GET\n/api/v1/me", "a naïve request, 注文 📈", "x".repeat(10_000)];

test.each([0, 1, 20, 43, 63, 64, 65, 131])("a key of %i characters gives the same codes as OpenSSL", (length) => {
  const secret = "kéy".repeat(length).slice(0, length);
  const hmac = hmacSha256(secret);
  for (const text of [...TEXTS, ...TEXTS.toReversed()]) {
    expect(hmac(text).toString("hex")).toBe(createHmac("sha256", secret).update(text).digest("hex"));
  }
});

test("reproduces the example of RFC 4231", () => {
  const code = hmacSha256("Jefe")("what do ya want for nothing?");
  expect(code.toString("hex")).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
});
