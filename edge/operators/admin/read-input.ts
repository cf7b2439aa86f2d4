import type { Context } from "hono";
import { z } from "zod";
import { type FieldFault, fieldFaults } from "../../../shared/http/field-faults.ts";
import type { BodyDescription, OperationDescription, OperationInput } from "../../../shared/http/http-operation.ts";
import { type JsonFault, parsePlainJson } from "../../../shared/http/plain-json.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { EdgeEnvironment } from "../../request/env.ts";
import { readBytes } from "../../request/read-bytes.ts";

export type InputFault =
  | { readonly code: "media_type_unsupported" | "body_too_large" }
  | { readonly code: "json_malformed"; readonly detail: string }
  | { readonly code: "validation_failed"; readonly errors: readonly FieldFault[] };

/** A queue with all its settings has 1 kB. */
const BODY_BYTES_MAX = 64 * 1024;

const NO_QUERY = z.strictObject({});

type Expected = Pick<OperationDescription, "params" | "query" | "body">;

/**
 * Everything an operation is given, checked by its own schemas before it runs: nothing is written on behalf of half a
 * request.
 */
export async function readInput(
  c: Context<EdgeEnvironment>,
  operation: Expected,
): Promise<Result<OperationInput, InputFault>> {
  const body = await readBody(c.req.raw, operation.body);
  if (!body.ok) return body;
  const params = check(operation.params, c.req.param());
  const query = readQuery(operation.query, c.req.queries());
  const content = body.value === undefined ? ok(undefined) : check(operation.body?.schema, body.value);
  const errors = [params, query, content].flatMap((part) => (part.ok ? [] : part.reason));
  if (!params.ok || !query.ok || !content.ok) return fail({ code: "validation_failed", errors });
  return ok({ params: params.value, query: query.value, body: content.value });
}

function check(schema: z.ZodType | undefined, value: unknown): Result<unknown, readonly FieldFault[]> {
  if (schema === undefined) return ok({});
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : fail(fieldFaults(parsed.error));
}

/** A repeated parameter is refused like an unknown one: its meaning is ambiguous. */
function readQuery(
  schema: z.ZodType | undefined,
  queries: Readonly<Record<string, string[]>>,
): Result<unknown, readonly FieldFault[]> {
  const repeated = Object.keys(queries).filter((name) => queries[name]?.length !== 1);
  if (repeated.length > 0) return fail(repeated.map((field) => ({ field, message: "must come once" })));
  return check(schema ?? NO_QUERY, Object.fromEntries(Object.entries(queries).map(([name, [value]]) => [name, value])));
}

async function readBody(
  request: Request,
  description: BodyDescription | undefined,
): Promise<Result<unknown, InputFault>> {
  if (description === undefined) return ok(undefined);
  const bytes = await readBytes(request, description.bytesMax ?? BODY_BYTES_MAX);
  if (bytes === undefined) return fail({ code: "body_too_large" });
  if (bytes.length === 0 && description.schema.safeParse(undefined).success) return ok(undefined);
  if (!isJson(request)) return fail({ code: "media_type_unsupported" });
  const text = decodeUtf8(bytes);
  const parsed = text === undefined ? fail("text_broken" as const) : parsePlainJson(text);
  return parsed.ok ? parsed : fail({ code: "json_malformed", detail: describe(parsed.reason) });
}

function isJson(request: Request): boolean {
  return (
    /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(request.headers.get("content-type") ?? "") &&
    !isEncoded(request)
  );
}

function isEncoded(request: Request): boolean {
  return (request.headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity";
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

function describe(fault: JsonFault): string {
  if (fault === "name_repeated") return "A name comes twice in one object.";
  return fault === "text_broken" ? "A text is not valid Unicode." : "The body is not JSON.";
}
