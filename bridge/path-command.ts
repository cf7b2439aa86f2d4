import { fail, ok, type Result } from "../shared/result.ts";
import type { Argument, Command } from "../stack/program/resp/encode-commands.ts";

/**
 * `/set/key/value?EX=100` is SET key value EX 100: segments, then the request's body, then the query. Segments are
 * decoded to bytes, not to text, so that a value of any bytes can be written as `%ff`.
 */
export function parsePathCommand(url: string, body: Buffer): Result<Command, string> {
  const queryAt = url.indexOf("?");
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  const query = queryAt === -1 ? "" : url.slice(queryAt + 1);
  const [name, ...segments] = path.slice(1).split("/");
  if (name === undefined || name === "") return fail("ERR empty command");
  const argumentBytes = [
    ...segments.map((text) => percentDecode(text)),
    ...(body.length === 0 ? [] : [body]),
    ...queryArguments(query),
  ];
  if (!argumentBytes.every((bytes) => bytes !== undefined))
    return fail("ERR the path or the query is not percent-encoded");
  return ok([name, ...(argumentBytes as Argument[])]);
}

/** `?_token=` names the token where no header can be set; it is never an argument. */
const TOKEN_PARAMETER = "_token";

/** A parameter without a value is a flag (`?NX`). */
function queryArguments(query: string): (Buffer | undefined)[] {
  if (query === "") return [];
  return query.split("&").flatMap((pair) => {
    const [name = "", ...rest] = pair.split("=");
    if (name === "" || name === TOKEN_PARAMETER) return [];
    const value = rest.join("=");
    return (value === "" ? [name] : [name, value]).map((text) => percentDecode(text.replaceAll("+", " ")));
  });
}

export function tokenParameter(url: string): string | undefined {
  const queryAt = url.indexOf("?");
  if (queryAt === -1) return undefined;
  return new URLSearchParams(url.slice(queryAt + 1)).get(TOKEN_PARAMETER) ?? undefined;
}

const BAD_PERCENT = /%(?![0-9a-fA-F]{2})/;

function percentDecode(text: string): Buffer | undefined {
  if (BAD_PERCENT.test(text)) return undefined;
  const bytes = text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1");
}
