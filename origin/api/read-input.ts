import { z } from "zod";
import { type FieldFault, fieldFaults } from "../../shared/field-faults.ts";
import type { BodyDescription, OperationDescription, OperationInput } from "../../shared/http-operation.ts";
import { type JsonFault, parsePlainJson } from "../../shared/plain-json.ts";
import { fail, ok, type Result } from "../../shared/result.ts";

export type InputFault =
  | { readonly code: "media_type_unsupported" }
  | { readonly code: "json_malformed"; readonly detail: string }
  | { readonly code: "validation_failed"; readonly errors: readonly FieldFault[] };

type Received = {
  readonly headers: Headers;
  readonly params: Readonly<Record<string, string>>;
  readonly queries: Readonly<Record<string, string[]>>;
  readonly body: Buffer;
};

const NO_QUERY = z.strictObject({});

/** Everything an operation is given, checked by its own schemas before it runs. */
export function readInput(operation: OperationDescription, received: Received): Result<OperationInput, InputFault> {
  const json = readJson(operation.body, received);
  if (!json.ok) return json;
  const params = check(operation.params, received.params);
  const query = readQuery(operation.query, received.queries);
  const body = operation.body === undefined ? ok(undefined) : check(operation.body.schema, json.value);
  const errors = [params, query, body].flatMap((part) => (part.ok ? [] : part.reason));
  if (!params.ok || !query.ok || !body.ok) return fail({ code: "validation_failed", errors });
  return ok({ params: params.value, query: query.value, body: body.value });
}

function check(schema: z.ZodType | undefined, value: unknown): Result<unknown, readonly FieldFault[]> {
  if (schema === undefined) return ok({});
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : fail(fieldFaults(parsed.error));
}

/** A parameter that comes twice is refused like one that is not known: nobody can tell which of the two was meant. */
function readQuery(schema: z.ZodType | undefined, queries: Received["queries"]): Result<unknown, readonly FieldFault[]> {
  const repeated = Object.keys(queries).filter((name) => queries[name]?.length !== 1);
  if (repeated.length > 0) return fail(repeated.map((field) => ({ field, message: "must come once" })));
  return check(schema ?? NO_QUERY, Object.fromEntries(Object.entries(queries).map(([name, [value]]) => [name, value])));
}

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

function readJson(description: BodyDescription | undefined, { headers, body }: Received): Result<unknown, InputFault> {
  if (description === undefined || (body.length === 0 && description.schema.safeParse(undefined).success)) return ok(undefined);
  const isEncoded = (headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity";
  if (isEncoded || !JSON_TYPE.test(headers.get("content-type") ?? "")) return fail({ code: "media_type_unsupported" });
  const text = decodeUtf8(body);
  const parsed = text === undefined ? fail("text_broken" as const) : parsePlainJson(text);
  return parsed.ok ? parsed : fail({ code: "json_malformed", detail: describe(parsed.reason) });
}

function decodeUtf8(bytes: Buffer): string | undefined {
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
