import { fail, ok, type Result } from "./result.ts";

export type JsonFault = "malformed" | "name_repeated" | "text_broken";

/**
 * JSON that can be read in one way only. Parsers differ on a name that comes twice (RFC 8259, 4) and on half a surrogate
 * pair (8.2): what this side checks could then be other than what the next side stores, so both are refused.
 */
export function parsePlainJson(text: string): Result<unknown, JsonFault> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("malformed");
  }
  const fault = findFault(text);
  return fault === undefined ? ok(value) : fail(fault);
}

/** In text that is known to be JSON, strings and brackets are all that matters; a string before a colon is a name. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

function findFault(text: string): JsonFault | undefined {
  const open: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(TOKEN)) {
    const fault = token.startsWith('"') ? stringFault(token, colon, open.at(-1)) : undefined;
    if (fault !== undefined) return fault;
    if (token === "{" || token === "[") open.push(new Set());
    if (token === "}" || token === "]") open.pop();
  }
  return undefined;
}

function stringFault(token: string, colon: string | undefined, names: Set<string> | undefined): JsonFault | undefined {
  const content = JSON.parse(colon === undefined ? token : token.slice(0, -colon.length)) as string;
  if (!content.isWellFormed()) return "text_broken";
  if (colon === undefined) return undefined;
  if (names?.has(content)) return "name_repeated";
  names?.add(content);
  return undefined;
}
