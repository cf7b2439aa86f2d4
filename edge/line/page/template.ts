import { z } from "zod";
import { LANGUAGES } from "./language.ts";
import { isLogo, LOGO_CHARS_MAX } from "./logo.ts";
import { isPlainText } from "./plain-text.ts";
import { hasKnownPlaceholders, PLACEHOLDERS } from "./template-text.ts";

/** How an operator makes the visitor's page their own. It holds colours, texts and one picture, never markup. */
export type Template = z.output<typeof templateSchema>;

const colour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, "must be a colour as #rrggbb")
  .describe("As #rrggbb. Where text could not be read on it or in it, it is moved until it can.");

const words = (charsMax: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(charsMax)
    .refine(isPlainText, "must have no control characters")
    .refine(hasKnownPlaceholders, `may have no other placeholders than ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(", ")}`);

const TITLE_CHARS_MAX = 120;
const INTRO_CHARS_MAX = 600;

const texts = {
  title: words(TITLE_CHARS_MAX).optional().describe("Stands above the place in line."),
  intro: words(INTRO_CHARS_MAX).optional().describe("The sentence or two below the title."),
};

const colours = z.strictObject({ accent: colour.optional(), background: colour.optional() });

export const templateSchema = z.strictObject({
  ...texts,
  translations: z
    .partialRecord(z.enum(LANGUAGES), z.strictObject(texts))
    .optional()
    .describe("Title and intro for visitors of other languages."),
  colours: z.strictObject({ light: colours.optional(), dark: colours.optional() }).optional(),
  logo: z.string().max(LOGO_CHARS_MAX).refine(isLogo, "must be a data URL of a PNG, JPEG, WebP or SVG picture, in base64").optional(),
  logoAlt: z.string().trim().max(TITLE_CHARS_MAX).refine(isPlainText, "must have no control characters").optional(),
});
