import { z } from "zod";
import { LANGUAGES } from "./language.ts";
import { isPlainText } from "./plain-text.ts";
import { hasKnownPlaceholders, PLACEHOLDERS } from "./template-text.ts";

/**
 * With the largest logo and the longest texts the page still has less than 15 kB on the wire. A logo as SVG or WebP has
 * 1 to 2 kB.
 */
export const LOGO_CHARS_MAX = 3_000;

/** How an operator makes the visitor's page their own. It holds colours, texts and one picture, never markup. */
export type Template = z.output<typeof templateSchema>;

const colour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, "must be a colour as #rrggbb")
  .describe("As #rrggbb. Adjusted where text would not be readable.");

const words = (charsMax: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(charsMax)
    .refine(isPlainText, "must have no control characters")
    .refine(
      hasKnownPlaceholders,
      `may have no other placeholders than ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(", ")}`,
    );

const TITLE_CHARS_MAX = 120;
const INTRO_CHARS_MAX = 600;

const texts = {
  title: words(TITLE_CHARS_MAX).optional().describe("Shown above the place in line."),
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
  logo: z
    .string()
    .max(LOGO_CHARS_MAX)
    .refine(isLogo, "must be a data URL of a PNG, JPEG, WebP or SVG picture, in base64")
    .optional(),
  logoAlt: z.string().trim().max(TITLE_CHARS_MAX).refine(isPlainText, "must have no control characters").optional(),
});

const DATA_URL = /^data:image\/(png|jpeg|webp|svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/;

const SIGNATURES: Readonly<Record<string, RegExp>> = {
  png: /^\x89PNG\r\n/,
  jpeg: /^\xff\xd8\xff/,
  webp: /^RIFF[\s\S]{4}WEBP/,
  "svg+xml": /<svg[\s>]/i,
};

/** A picture of the kind it says it is. As the source of an `img` nothing in it can run or load, SVG included. */
function isLogo(url: string): boolean {
  const [, type = "", data = ""] = DATA_URL.exec(url) ?? [];
  const bytes = decode(data);
  return bytes !== undefined && (SIGNATURES[type]?.test(bytes) ?? false);
}

function decode(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}
