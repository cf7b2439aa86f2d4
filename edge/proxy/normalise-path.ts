import { fail, ok, type Result } from "../../shared/result.ts";

export type PathFault =
  | "not_absolute"
  | "bytes_lost"
  | "control_character"
  | "backslash"
  | "parameter"
  | "fragment"
  | "invalid_escape"
  | "invalid_utf8"
  | "encoded_separator"
  | "encoded_twice"
  | "dot_segment"
  | "empty_segment";

/**
 * Brings a path into the one spelling that the gate decides on and the origin receives, so that both read the same
 * address. What servers read in different ways is refused and never repaired: a repaired path is a guess.
 * The result is a fixed point: normalising it again changes nothing.
 */
export function normalisePath(raw: string): Result<string, PathFault> {
  if (PLAIN_PATH.test(raw)) return ok(raw);
  const fault = RAW_FAULTS.find(({ pattern }) => pattern.test(raw));
  if (fault !== undefined) return fail(fault.reason);
  const escaped = raw.replace(MUST_BE_ENCODED, encodeURIComponent);
  if (!hasValidUtf8(escaped)) return fail("invalid_utf8");
  const path = escaped.replace(ESCAPE, plainEscape);
  const remaining = NORMALISED_FAULTS.find(({ pattern }) => pattern.test(path));
  return remaining === undefined ? ok(path) : fail(remaining.reason);
}

/** Segments of characters that RFC 3986 allows as they are, but `;`; none of them empty, `.` or `..`. Most requests end here. */
const PLAIN_PATH = /^(?=\/)(?:\/(?!\.\.?(?:\/|$))[\w.~!$&'()*+,=:@-]+)*\/?$/;

type Rule<Reason> = { readonly reason: Reason; readonly pattern: RegExp };

const RAW_FAULTS: readonly Rule<PathFault>[] = [
  { reason: "not_absolute", pattern: /^(?!\/)/ },
  // The runtime replaces bytes that are not UTF-8 by U+FFFD, so nobody can tell any more what the client sent.
  { reason: "bytes_lost", pattern: /[\uFFFD\uD800-\uDFFF]/u },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  { reason: "control_character", pattern: /[\u0000-\u0020\u007F]|%[01][0-9A-Fa-f]|%7[Ff]/ },
  // Windows servers and browsers read a backslash as a slash.
  { reason: "backslash", pattern: /\\|%5[Cc]/ },
  // Some servers end a segment at `;` and some do not: `/trade;x/y` would be two different paths.
  { reason: "parameter", pattern: /;/ },
  { reason: "fragment", pattern: /[#?]/ },
  { reason: "invalid_escape", pattern: /%(?![0-9A-Fa-f]{2})/ },
  { reason: "encoded_separator", pattern: /%2[Ff]/ },
];

const NORMALISED_FAULTS: readonly Rule<PathFault>[] = [
  // A server that decodes twice would find one of the characters refused above, or an overlong spelling of one.
  { reason: "encoded_twice", pattern: /%25(?:2[EeFf5]|3[Bb]|5[Cc]|[01][0-9A-Fa-f]|7[Ff]|[Cc][01]|[Ee]0%25[89]|[Ff]0%258)/ },
  { reason: "dot_segment", pattern: /\/\.\.?(?:\/|$)/ },
  { reason: "empty_segment", pattern: /\/\// },
];

const ESCAPE = /%[0-9A-Fa-f]{2}/g;
const ESCAPE_RUN = /(?:%[0-9A-Fa-f]{2})+/g;
const HIGH_ESCAPE = /%[89A-Fa-f]/;
const MUST_BE_ENCODED = /[^\w.~!$&'()*+,=:@/%-]/gu;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/** RFC 3986, 6.2.2: an escaped unreserved character is the character itself; the hex digits of other escapes are capitals. */
function plainEscape(triplet: string): string {
  const character = String.fromCharCode(Number.parseInt(triplet.slice(1), 16));
  return UNRESERVED.test(character) ? character : triplet.toUpperCase();
}

/** The decoder also refuses overlong forms and surrogates. Each run of escapes has to be complete by itself. */
function hasValidUtf8(escaped: string): boolean {
  if (!HIGH_ESCAPE.test(escaped)) return true;
  return [...escaped.matchAll(ESCAPE_RUN)].every(([run]) => isDecodable(run));
}

function isDecodable(escapes: string): boolean {
  try {
    decodeURIComponent(escapes);
    return true;
  } catch {
    return false;
  }
}
