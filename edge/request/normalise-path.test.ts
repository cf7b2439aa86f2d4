import { describe, expect, it } from "vitest";
import { type Random, seededRandom } from "../../kit/random.ts";
import { normalisePath, type PathFault } from "./plain-target.ts";

const PARTS: readonly [string, ...string[]] = [
  "/",
  "/",
  "a",
  "B",
  ".",
  "..",
  "%2e",
  "%2F",
  "%41",
  "%7e",
  "%c3%a9",
  "%C3",
  "%25",
  "%252f",
  "32",
  "2f",
  ";",
  "\\",
  "é",
  "😀",
  "%",
  "%zz",
  "{",
  "~",
  "%0a",
  "%20",
  "+",
  "@",
  ":",
];

function randomPath({ between, pick }: Random): string {
  return `/${Array.from({ length: between(1, 8) }, () => pick(PARTS)).join("")}`;
}

describe("normalisePath", () => {
  it("leaves a normalised path as it is, for 20,000 random paths", () => {
    const random = seededRandom(7);
    let normalised = 0;
    for (let i = 0; i < 20_000; i++) {
      const raw = randomPath(random);
      const once = normalisePath(raw);
      if (!once.ok) continue;
      normalised++;
      expect(normalisePath(once.value), raw).toEqual(once);
    }
    expect(normalised).toBeGreaterThan(1_000);
  });

  it("yields nothing that decodes, once or twice, to a separator, a dot segment or a control character", () => {
    const random = seededRandom(11);
    for (let i = 0; i < 20_000; i++) {
      const raw = randomPath(random);
      const path = normalisePath(raw);
      if (!path.ok) continue;
      const decoded = decodeURIComponent(path.value);
      const twice = decoded.replace(/%[0-9A-Fa-f]{2}/g, (escaped) =>
        String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
      );
      for (const text of [path.value, decoded, twice]) {
        expect(text.split("/").length, raw).toBe(path.value.split("/").length);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left.
        expect(text, raw).not.toMatch(/\/\/|\/\.\.?(\/|$)|\\|[\u0000-\u001f\u007f]/);
      }
    }
  });

  it.each([
    ["/", "/"],
    ["/a/b.c/", "/a/b.c/"],
    ["/%7Euser", "/~user"],
    ["/%e4%bd%a0", "/%E4%BD%A0"],
    ["/你", "/%E4%BD%A0"],
    ["/a b".replace(" ", "%20"), "/a%20b"],
    ["/%3b", "/%3B"],
    ["/100%25", "/100%25"],
    ["/%2541", "/%2541"],
    ["/...", "/..."],
    ["/.well-known/x", "/.well-known/x"],
  ])("writes %s as %s", (raw, plain) => {
    expect(normalisePath(raw)).toEqual({ ok: true, value: plain });
  });

  it.each<[string, PathFault]>([
    ["", "not_absolute"],
    ["a", "not_absolute"],
    ["/a\uFFFD", "bytes_lost"],
    ["/\uD800", "bytes_lost"],
    ["/a b", "control_character"],
    ["/%00", "control_character"],
    ["/%7F", "control_character"],
    ["/%5C", "backslash"],
    ["/a;b", "parameter"],
    ["/a#b", "fragment"],
    ["/%g0", "invalid_escape"],
    ["/%c0%af", "invalid_utf8"],
    ["/%e0%80%af", "invalid_utf8"],
    ["/%F5%80%80%80", "invalid_utf8"],
    ["/é%C3", "invalid_utf8"],
    ["/a%2Fb", "encoded_separator"],
    ["/%25%32%65", "encoded_twice"],
    ["/%25E0%2580%25AF", "encoded_twice"],
    ["/a/%2e%2E", "dot_segment"],
    ["/a/./b", "dot_segment"],
    ["/..", "dot_segment"],
    ["/a//b", "empty_segment"],
    ["//", "empty_segment"],
  ])("refuses %j as %s", (raw, reason) => {
    expect(normalisePath(raw)).toEqual({ ok: false, reason });
  });
});
