import { describe, expect, it } from "vitest";
import { chooseLanguage, directionOf, LANGUAGES } from "./language.ts";

describe("the visitor's language", () => {
  it.each([
    ["fa", "fa", "fa"],
    ["fa-IR,fa;q=0.9,en;q=0.8", "fa", "fa-IR"],
    ["en;q=0.5, de;q=0.9", "de", "de"],
    ["sv, da;q=0.9, pt-BR;q=0.3", "pt", "pt-BR"],
    ["ZH-hant-tw", "zh", "zh-Hant-TW"],
    ["de-DE-u-nu-arab", "de", "de-DE"],
    ["de;q=0, fr;q=0.1", "fr", "fr"],
    ["DE-de;Q=0.4,ja;q=0.5", "ja", "ja"],
  ])("of %s is %s, with numbers as in %s", (header, language, locale) => {
    expect(chooseLanguage(header, "en")).toEqual({ language, locale });
  });

  it.each([null, "", "*", "sv", "xx-YY;q=1", "de;q=2", "de;level=1", "<script>", "--,;;q,=1"])(
    "is the queue's own where %s names none that we speak",
    (header) => {
      expect(chooseLanguage(header, "id")).toEqual({ language: "id", locale: "id" });
    },
  );

  it("is right-to-left only in Persian and Arabic", () => {
    expect(LANGUAGES.filter((language) => directionOf(language) === "rtl")).toEqual(["fa", "ar"]);
  });
});
