/**
 * Markup as a value: a template escapes everything that is not markup itself. The same templates run on the server and in
 * the browser, so that what a script shows is what the server would have sent.
 */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Markup | string | number | false | null | undefined | readonly Piece[];

export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let text = strings[0] ?? "";
  for (const [index, piece] of pieces.entries()) text += textOf(piece) + (strings[index + 1] ?? "");
  return new Markup(text);
}

function textOf(piece: Piece): string {
  if (piece instanceof Markup) return piece.text;
  if (Array.isArray(piece)) return (piece as readonly Piece[]).map(textOf).join("");
  return piece === false || piece === null || piece === undefined ? "" : escaped(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
