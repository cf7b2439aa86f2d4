import { describe, expect, it } from "vitest";
import { OTHER_QUEUE, VENUE } from "../../kit/token-forge.ts";
import { isUnexpired, queueOfAudience, tokenAudience, tokenCookieName, tokenType } from "./admission.ts";

describe("names", () => {
  it("distinguish tickets from passes and one queue from another", () => {
    expect([tokenType("ticket"), tokenType("pass")]).toEqual(["sluice-ticket+jwt", "sluice-pass+jwt"]);
    expect(tokenAudience("ticket", VENUE)).toBe("sluice:ticket:venue");
    expect(tokenAudience("pass", OTHER_QUEUE)).toBe("sluice:pass:demo");
  });

  it("lead from an audience back to its queue, and only for the kind asked for", () => {
    expect(queueOfAudience("pass", tokenAudience("pass", VENUE))).toBe(VENUE);
    for (const audience of [
      tokenAudience("ticket", VENUE),
      "sluice:pass:",
      "sluice:pass:{a}",
      "venue",
      "",
      undefined,
      null,
      1,
      ["sluice:pass:venue"],
    ]) {
      expect(queueOfAudience("pass", audience)).toBeUndefined();
    }
  });

  it("bind the cookie to its host wherever the page is https", () => {
    expect(tokenCookieName("pass", VENUE, { secure: false })).toBe("sluice-pass-venue");
    expect(tokenCookieName("ticket", VENUE, { secure: true })).toBe("__Host-sluice-ticket-venue");
  });
});

describe("isUnexpired", () => {
  it("counts whole seconds and five more, and nothing after them", () => {
    const token = { expiresAtSeconds: 100 };
    expect(isUnexpired(token, 99_000)).toBe(true);
    expect(isUnexpired(token, 104_999)).toBe(true);
    expect(isUnexpired(token, 105_000)).toBe(false);
    expect(isUnexpired(token, Number.NaN)).toBe(false);
    expect(isUnexpired(token, Number.POSITIVE_INFINITY)).toBe(false);
  });
});
