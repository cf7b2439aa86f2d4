import { BLACK, type Colour, contrast, formatColour, mix, parseColour, WHITE } from "./colour.ts";

/**
 * Every colour of a page. Text on `page` or `surface` always has the contrast of WCAG AA, whatever an operator has
 * chosen.
 */
type Palette = {
  readonly page: string;
  readonly surface: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly track: string;
  readonly accent: string;
  readonly onAccent: string;
};

type Scheme = "light" | "dark";

/** The colours that an operator may choose, each as #rrggbb. */
type Chosen = { readonly accent?: string | undefined; readonly background?: string | undefined };
type OwnColours = { readonly colours?: Partial<Readonly<Record<Scheme, Chosen | undefined>>> | undefined };

/**
 * Both schemes as custom properties of a style sheet. Colours are parsed and formatted again, so that only six digits
 * can appear here.
 */
export function paletteCss(own: OwnColours | null): string {
  const [light, dark] = [properties(paletteOf(own, "light")), properties(paletteOf(own, "dark"))];
  return `:root{${light}}@media(prefers-color-scheme:dark){:root{${dark}}}`;
}

function properties(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(";");
}

/** AA for text is 4.5; a little more, because channels are rounded. */
const TEXT_CONTRAST = 4.55;
/** AA for anything but text. */
const SHAPE_CONTRAST = 3.05;
const STEPS = 20;

const DEFAULTS = {
  light: { background: "#f3f6f8", accent: "#0b6e8a" },
  dark: { background: "#0b1217", accent: "#56c4df" },
} as const;

/** The operator's colours where they are legible; elsewhere they are moved towards the text's colour until they are. */
export function paletteOf(own: OwnColours | null, scheme: Scheme): Palette {
  const chosen = own?.colours?.[scheme];
  const page = parseColour(chosen?.background ?? DEFAULTS[scheme].background);
  const isDark = contrast(page, WHITE) > contrast(page, BLACK);
  const surface = surfaceOn(page, isDark);
  const grounds = [page, surface];
  const text = readable(isDark ? mix(page, WHITE, 0.92) : mix(page, BLACK, 0.9), isDark ? WHITE : BLACK, {
    on: grounds,
  });
  const track = mix(surface, text, 0.14);
  const asked = parseColour(chosen?.accent ?? own?.colours?.light?.accent ?? DEFAULTS[scheme].accent);
  const accent = readable(asked, text, { on: grounds, beside: track });
  return {
    page: formatColour(page),
    surface: formatColour(surface),
    text: formatColour(text),
    muted: formatColour(readable(mix(text, surface, 0.4), text, { on: grounds })),
    line: formatColour(mix(surface, text, 0.12)),
    track: formatColour(track),
    accent: formatColour(accent),
    onAccent: formatColour(contrast(accent, WHITE) >= contrast(accent, BLACK) ? WHITE : BLACK),
  };
}

/** A surface is a little lighter than the page, unless that would cost the text its contrast. */
function surfaceOn(page: Colour, isDark: boolean): Colour {
  const surface = isDark ? mix(page, WHITE, 0.045) : mix(page, WHITE, 0.85);
  return !isDark || contrast(surface, WHITE) > TEXT_CONTRAST ? surface : page;
}

type Grounds = { readonly on: readonly Colour[]; readonly beside?: Colour };

/** Black or white has a contrast of 4.58 on any ground, so some mix of a colour with one of them is legible. */
function readable(colour: Colour, towards: Colour, { on, beside }: Grounds): Colour {
  for (let step = 0; step < STEPS; step++) {
    const tried = mix(colour, towards, step / STEPS);
    const isRead = on.every((ground) => contrast(tried, ground) >= TEXT_CONTRAST);
    if (isRead && (beside === undefined || contrast(tried, beside) >= SHAPE_CONTRAST)) return tried;
  }
  return towards;
}
