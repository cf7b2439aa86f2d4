import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { listFiles } from "../kit/folder-imports.ts";

/** The words of docs/style.md ("Voice") that a machine can find without mistaking a right use for a wrong one. */
const root = fileURLToPath(new URL("../", import.meta.url));
/**
 * Pages that quote the words, the visitor texts, which address people in ten languages, and migrations, which never
 * change once they have run.
 */
const EXEMPT =
  /^(?:docs\/style\.md|test\/voice\.test\.ts|edge\/room\/texts\/|origin\/db\/migrations\/|test\/upgrade\/layout-)/;
const files = listFiles(root).filter(
  (file) => /\.(?:tsx?|mjs|lua|sql|md|html|ya?ml|css|toml)$/.test(file) && !EXEMPT.test(file),
);

/** Comments, strings and, to step over them, regular expressions. */
const TOKENS =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;
const TEXT_OF_MARKUP = />[^<>{}=;]*[A-Za-z] [^<>{}=;]*</g;
/** Texts of the visitor's page that its tests repeat. */
const QUOTED = "What you sent did not go through.";

/** The text that people read in a file; code becomes spaces, so that lines keep their numbers. */
function readableText(file: string): string {
  const text = readFileSync(join(root, file), "utf8").replaceAll(QUOTED, (quoted) => " ".repeat(quoted.length));
  if (!/\.(?:tsx?|mjs|css)$/.test(file)) return text;
  const pieces = [...text.matchAll(TOKENS), ...(file.endsWith(".tsx") ? text.matchAll(TEXT_OF_MARKUP) : [])];
  const readable = text.replaceAll(/[^\n]/g, " ").split("");
  for (const { 0: piece, index } of pieces) {
    const isText = /^\/[/*]|^[^/].*\s/s.test(piece);
    const shown = isText ? piece.replaceAll(/\$\{[^{}]*\}/g, (code) => " ".repeat(code.length)) : "";
    for (const [offset, character] of shown.split("").entries()) readable[index + offset] = character;
  }
  return readable.join("");
}

/** White space between two words, also where a comment continues on the next line. */
const GAP = String.raw`\s+(?:(?://|\*|--|#)\s+)?`;
/** The first word of a comment, a string, a paragraph, a list item or a table cell; or of a sentence after another. */
const START = String.raw`(?:(?:^|\n)\s*(?:(?://|/\*\*?|\*|--|#|[-*>]|\d+\.)\s+)?|/\*\*?\s+|["\x60|]\s*|[.!;:]\s+(?:(?://|\*|--|#)\s+)?)`;

const AVOIDED: Readonly<Record<string, RegExp>> = {
  // In quotation marks, "nobody" is the Unix user.
  "somebody, nobody, whoever": /\b(?:[Ss]omebody|[Ww]hoever|[Nn]obody(?!"))\b/g,
  "stands in": new RegExp(String.raw`\b(?:stands?|stood|standing)${GAP}in\b(?!${GAP}front)`, "gi"),
  "tells of": new RegExp(String.raw`\b(?:tells?|told|telling)${GAP}of\b`, "gi"),
  "is away": new RegExp(
    String.raw`\b(?:is|are|was|were|be|been|store|Redis|PostgreSQL|database)${GAP}away\b(?!${GAP}from)`,
    "gi",
  ),
  anew: /\banew\b/gi,
  "goes on": new RegExp(String.raw`\b(?:go|goes|went|going|gone)${GAP}on\b`, "gi"),
  "he, his, him": /\b(?:he|his|him|himself)\b/gi,
  // A question may begin so; a statement names its subject.
  "Who … or What … as a subject": new RegExp(
    String.raw`${START}(?:Who(?:se|m)?|What(?:ever)?)\s+\w(?![^.!\n]*\?)`,
    "g",
  ),
};

const texts = files.map((file) => [file, readableText(file)] as const);

describe("the texts of the project", () => {
  it.each(Object.entries(AVOIDED))("do not use: %s", (_words, pattern) => {
    const found = texts.flatMap(([file, text]) =>
      [...text.matchAll(pattern)].map((match) => {
        const at = match.index + match[0].search(/\w/);
        return `${file}:${text.slice(0, at).split("\n").length}: ${text.slice(at, at + 60).split("\n")[0]}`;
      }),
    );
    expect(found).toEqual([]);
  });
});
