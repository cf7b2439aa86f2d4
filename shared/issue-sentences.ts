import { z } from "zod";

/**
 * Messages for faults that a schema has no message for. Every message is the end of a sentence that begins with the
 * field, and never repeats the value.
 */
function issueSentence(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${TYPES[issue.expected] ?? "of another type"}`;
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return tooBig(issue);
    case "invalid_format":
      return FORMATS[issue.format] ?? "has an invalid format";
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return "has unknown fields";
    case "invalid_union":
      return unionSentence(issue);
    case "invalid_value":
      return issue.input === undefined ? "is required" : valueSentence(issue.values.map(String));
    case "invalid_key":
      return "has a name that is not allowed";
    case "invalid_element":
      return "has an entry that is not allowed";
    default:
      return "is invalid";
  }
}

/** For every schema of the process: zod asks here when a schema has no message. */
z.config({ customError: issueSentence });

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
  date: "a date",
};

const FORMATS: Readonly<Record<string, string>> = {
  email: "must be an e-mail address",
  url: "must be a URL",
  uuid: "must be a UUID",
  ipv4: "must be an IPv4 address",
  ipv6: "must be an IPv6 address",
  base64url: "must be base64url",
  datetime: "must be a date and time",
  date: "must be a date",
};

type Bound = {
  readonly origin: string;
  readonly inclusive?: boolean | undefined;
  readonly exact?: boolean | undefined;
};

function tooSmall({ origin, minimum, inclusive, exact }: Bound & { readonly minimum: number | bigint }): string {
  const unit = UNITS[origin];
  if (unit === undefined) return inclusive === false ? `must be more than ${minimum}` : `must be at least ${minimum}`;
  if (exact) return `must have ${counted(minimum, unit)}`;
  return Number(minimum) === 1 ? "must not be empty" : `must have at least ${counted(minimum, unit)}`;
}

function tooBig({ origin, maximum, inclusive, exact }: Bound & { readonly maximum: number | bigint }): string {
  const unit = UNITS[origin];
  if (unit === undefined) return inclusive === false ? `must be less than ${maximum}` : `must be at most ${maximum}`;
  return `must have ${exact ? "" : "at most "}${counted(maximum, unit)}`;
}

type Unit = readonly [one: string, many: string];

/** The unit of a value that has a size. Numbers are compared by value. */
const UNITS: Readonly<Record<string, Unit>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
  set: ["entry", "entries"],
  map: ["entry", "entries"],
  object: ["field", "fields"],
};

function counted(count: number | bigint, [one, many]: Unit): string {
  return `${count} ${Number(count) === 1 ? one : many}`;
}

function unionSentence(issue: { readonly discriminator?: string | undefined }): string {
  return issue.discriminator === undefined ? "has none of the allowed forms" : "is of an unknown kind";
}

const VALUES_MAX = 20;

function valueSentence(values: readonly string[]): string {
  if (values.length === 1) return `must be ${values[0]}`;
  return values.length > VALUES_MAX ? "is not one of the allowed values" : `must be one of ${values.join(", ")}`;
}
