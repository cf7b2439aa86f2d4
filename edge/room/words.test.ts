import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../line/page/language.ts";
import { en } from "./texts/en.ts";
import type { RoomTexts } from "./texts/room-texts.ts";
import { textsOf } from "./texts-of.ts";
import { createWords } from "./words.ts";

describe("an estimate in words", () => {
  const { estimate } = createWords("en", "UTC");
  it.each([
    [0, 0, "less than a minute"],
    [20, 59, "less than a minute"],
    [30, 60, "about 1 minute"],
    [45, 90, "about 1–2 minutes"],
    [130, 250, "about 2–5 minutes"],
    [700, 1_300, "about 10–25 minutes"],
    [3_000, 6_000, "about 50–100 minutes"],
    [4_000, 8_000, "about 1–3 hours"],
    [80_000, 86_400, "about 20–25 hours"],
    [86_400, 86_400, "more than a day"],
  ])("of %d to %d seconds is %s", (low, high, words) => {
    expect(estimate({ low, high }, en)).toBe(words);
  });

  it("is a range also in browsers that cannot format one", () => {
    const { formatRange } = Intl.NumberFormat.prototype;
    Reflect.deleteProperty(Intl.NumberFormat.prototype, "formatRange");
    try {
      expect(createWords("de", "UTC").estimate({ low: 130, high: 250 }, textsOf.de)).toBe("etwa 2–5 Minuten");
    } finally {
      Object.defineProperty(Intl.NumberFormat.prototype, "formatRange", {
        value: formatRange,
        configurable: true,
        writable: true,
      });
    }
  });

  it("is said in every language, with its own digits and plurals", () => {
    const said = (language: (typeof LANGUAGES)[number]) =>
      createWords(language, "UTC").estimate({ low: 130, high: 250 }, textsOf[language]);
    expect(said("fa")).toBe("حدود ۲–۵ دقیقه");
    expect(said("de")).toBe("etwa 2–5 Minuten");
    expect(said("ja")).toBe("約 2～5 分");
    expect(new Set(LANGUAGES.map(said)).size).toBe(LANGUAGES.length);
  });
});

describe("numbers and times", () => {
  it("count people by the rules of the language", () => {
    const ahead = (language: "en" | "ar" | "fr", count: number) =>
      createWords(language, "UTC").people(textsOf[language].ahead, count);
    expect([1, 2].map((count) => ahead("en", count))).toEqual(["1 person ahead of you", "2 people ahead of you"]);
    expect(new Set([0, 1, 2, 3, 11, 100].map((count) => ahead("ar", count).replaceAll(/[\d\s]/g, ""))).size).toBe(6);
    expect(ahead("fr", 1_000_000)).toContain("de personnes");
  });

  it("count down to the second, and name the moment with its zone", () => {
    const words = createWords("en", "UTC");
    expect([0, 1, 59_001, 3_600_000, -5].map(words.countdown)).toEqual([
      "00:00:00",
      "00:00:01",
      "00:01:00",
      "01:00:00",
      "00:00:00",
    ]);
    expect(words.countdown(2 * 86_400_000 + 61_000)).toBe("2 days 00:01:01");
    expect(createWords("fa", "UTC").countdown(61_000)).toBe("۰۰:۰۱:۰۱");
    expect(words.moment(Date.UTC(2026, 10, 20, 18))).toMatch(/^November 20 at 6:00.PM UTC$/);
  });

  it("keep a place for a time that can be said", () => {
    const { duration } = createWords("en", "UTC");
    expect([5, 90, 1_860, 3_600, 5_400, 43_200].map(duration)).toEqual([
      "5 seconds",
      "90 seconds",
      "31 minutes",
      "1 hour",
      "90 minutes",
      "12 hours",
    ]);
  });
});

describe("the texts", () => {
  const flat = (texts: object, path = ""): readonly (readonly [string, string])[] =>
    Object.entries(texts).flatMap(([name, value]) =>
      typeof value === "string" ? [[`${path}${name}`, value] as const] : flat(value as object, `${path}${name}.`),
    );
  const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).toSorted();
  const isPlural = (name: string) => /^(ahead|crowd)\./.test(name);

  it.each(LANGUAGES.filter((language) => language !== "en"))(
    "of %s fill in what the English ones do, and none is left in English",
    (language) => {
      const english = new Map(flat(en satisfies RoomTexts));
      for (const [name, text] of flat(textsOf[language])) {
        if (isPlural(name)) continue;
        expect([name, placeholders(text)]).toEqual([name, placeholders(english.get(name) ?? "")]);
        expect([name, text]).not.toEqual([name, english.get(name) === "Start: {time}" ? "" : english.get(name)]);
      }
      expect(textsOf[language].ahead.other).toContain("{n}");
      expect(textsOf[language].crowd.other).toContain("{n}");
    },
  );
});
