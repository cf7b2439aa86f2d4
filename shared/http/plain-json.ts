import { fail, ok, type Result } from "../result.ts";

export type JsonFault = "malformed" | "name_repeated" | "text_broken";

/**
 * Unambiguous JSON. Parsers differ on duplicate names (RFC 8259, 4) and on unpaired surrogates (8.2): this side could
 * then check another value than the next side stores, so both are refused.
 */
export function parsePlainJson(text: string): Result<unknown, JsonFault> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("malformed");
  }
  const fault = isPlainObject(text, value) ? undefined : findFault(text);
  return fault === undefined ? ok(value) : fail(fault);
}

/**
 * Most bodies are one flat object without an escape: then every name in the text is a member of the value, unless one
 * is a duplicate. Counting both takes a tenth of the full scan's time.
 */
function isPlainObject(text: string, value: unknown): boolean {
  const isFlat = text.charCodeAt(0) === OPENING_BRACE && text.indexOf("{", 1) === -1 && !text.includes("[");
  if (!isFlat || text.includes("\\") || !text.isWellFormed()) return false;
  let names = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    at = text.indexOf('"', at + 1);
    if (text.charCodeAt(afterSpace(text, at + 1)) === COLON) names++;
  }
  return names === Object.keys(value as object).length;
}

const OPENING_BRACE = 123;
const QUOTE = 34;
const COLON = 58;
const OPENING = new Set([123, 91]);
const CLOSING = new Set([125, 93]);

/** In text that is known to be JSON, strings and brackets are all that matters; a string before a colon is a name. */
function findFault(text: string): JsonFault | undefined {
  // An unpaired surrogate can also be escaped; without an escape, the text is the value.
  if (!text.isWellFormed()) return "text_broken";
  const hasEscapes = text.includes("\\");
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (OPENING.has(code)) open.push(new Set());
    else if (CLOSING.has(code)) open.pop();
    if (code !== QUOTE) continue;
    const end = hasEscapes ? endOfString(text, at) : text.indexOf('"', at + 1);
    const fault = stringFault(text, { at, end, names: open.at(-1), hasEscapes });
    if (fault !== undefined) return fault;
    at = end;
  }
  return undefined;
}

const BACKSLASH = 92;

/** Where the closing quote is: the first that no backslash stands before, unless that one is itself escaped. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

type Found = {
  readonly at: number;
  readonly end: number;
  readonly names: Set<string> | undefined;
  readonly hasEscapes: boolean;
};

function stringFault(text: string, { at, end, names, hasEscapes }: Found): JsonFault | undefined {
  const isName = text.charCodeAt(afterSpace(text, end + 1)) === COLON;
  if (!isName && !hasEscapes) return undefined;
  const content = hasEscapes ? (JSON.parse(text.slice(at, end + 1)) as string) : text.slice(at + 1, end);
  if (!content.isWellFormed()) return "text_broken";
  if (!isName) return undefined;
  if (names?.has(content)) return "name_repeated";
  names?.add(content);
  return undefined;
}

const SPACE = 32;

function afterSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= SPACE) at++;
  return at;
}
