/** The languages that the visitor's pages are written in. */
export const LANGUAGES = ["en", "id", "fa", "ar", "zh", "es", "de", "fr", "ja", "pt"] as const;

export type Language = (typeof LANGUAGES)[number];

/** `locale` is for numbers and times, with the visitor's own region where they named one: 14:05 or 2:05 PM. */
export type ChosenLanguage = { readonly language: Language; readonly locale: string };

/** The first of the visitor's languages that we speak (RFC 9110, 12.5.4), or the queue's own. */
export function chooseLanguage(acceptLanguage: string | null, fallback: Language): ChosenLanguage {
  for (const tag of preferredTags(acceptLanguage ?? "")) {
    const language = LANGUAGES.find((known) => known === tag.split("-", 1)[0]?.toLowerCase());
    if (language !== undefined) return { language, locale: canonical(tag) ?? language };
  }
  return { language: fallback, locale: fallback };
}

export function directionOf(language: Language): "ltr" | "rtl" {
  return language === "fa" || language === "ar" ? "rtl" : "ltr";
}

/** As a document declares it. Ours is written in simplified characters, whichever Chinese was asked for. */
export function languageTag(language: Language): string {
  return language === "zh" ? "zh-Hans" : language;
}

/** Browsers send a handful. */
const TAGS_MAX = 20;
/** `zh-Hant-TW` and the like. Extensions are ignored: the page needs no other calendar. */
const TAG = /^([a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?)(?:-[a-z\d-]*)?$/i;
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

function preferredTags(header: string): readonly string[] {
  return header
    .split(",", TAGS_MAX)
    .flatMap((range) => {
      const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
      const tag = TAG.exec(name)?.[1];
      const quality = parameters.length === 0 ? "1" : QUALITY.exec(parameters[0] ?? "")?.[1];
      return tag === undefined || quality === undefined || Number(quality) === 0
        ? []
        : [{ tag, quality: Number(quality) }];
    })
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}

function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}
