import { describe, expect, it } from "vitest";
import { hiddenNames } from "./forwarding.ts";

describe("hiddenNames", () => {
  it("finds nothing in an ordinary response", () => {
    const headers = new Headers({
      connection: "keep-alive",
      "keep-alive": "timeout=5",
      "content-type": "text/html",
      "set-cookie": "a=1",
      "x-own": "1",
    });
    expect(hiddenNames(headers)).toBeUndefined();
  });

  it("finds our own names, hop-by-hop names, and those named in Connection", () => {
    const headers = new Headers({
      connection: "keep-alive, X-Private",
      "X-Sluice-Command": "revoke",
      "x-sluice-other": "1",
      "proxy-authenticate": "Basic",
      "x-kept": "1",
    });
    expect(hiddenNames(headers)?.toSorted()).toEqual([
      "keep-alive",
      "proxy-authenticate",
      "x-private",
      "x-sluice-command",
      "x-sluice-other",
    ]);
  });

  it("keeps headers that describe the body, whatever Connection says", () => {
    expect(hiddenNames(new Headers({ connection: "content-type, set-cookie, content-length" }))).toEqual([]);
  });
});
