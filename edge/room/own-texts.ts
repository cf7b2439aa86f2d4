import { directionOf, type Language, languageTag } from "../line/page/language.ts";

/** The operator's own title and intro for those who wait. */
export type OwnTexts = { readonly title?: OwnText; readonly intro?: OwnText };

/** Marked with a language when it is not written in the page's. */
export type OwnText = { readonly text: string; readonly marked?: Marking };

/** The attributes of an element whose text may be in another language than the page. */
export type Marking = { readonly lang: string; readonly dir: "rtl" | "auto" };

/**
 * An operator writes in the queue's language. That is English unless they said otherwise, so the direction goes by the
 * text itself, except where a language was chosen that is written from right to left.
 */
export function markingOf(language: Language): Marking {
  return { lang: languageTag(language), dir: directionOf(language) === "rtl" ? "rtl" : "auto" };
}

type Written = { readonly title?: string | undefined; readonly intro?: string | undefined };
type WithTranslations = Written & {
  readonly translations?: Partial<Readonly<Record<Language, Written | undefined>>> | undefined;
};
type Languages = { readonly visitor: Language; readonly queue: Language };

/** In the visitor's language where the operator has written it, or as it is. */
export function ownTexts(template: WithTranslations | null | undefined, { visitor, queue }: Languages): OwnTexts {
  const translated = template?.translations?.[visitor];
  const textOf = (name: keyof Written): OwnText | undefined => {
    const [own, text] = [translated?.[name], template?.[name]];
    if (own !== undefined) return { text: own };
    if (text === undefined) return undefined;
    return visitor === queue ? { text } : { text, marked: markingOf(queue) };
  };
  const [title, intro] = [textOf("title"), textOf("intro")];
  return { ...(title !== undefined && { title }), ...(intro !== undefined && { intro }) };
}
