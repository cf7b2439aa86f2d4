import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { type FieldFault, fieldFaults } from "../../shared/http/field-faults.ts";
import type { BodyDescription, OperationDescription, OperationInput } from "../../shared/http/http-operation.ts";
import { type JsonFault, parsePlainJson } from "../../shared/http/plain-json.ts";
import { fail, ok, type Result } from "../../shared/result.ts";
import type { RequestHeaders } from "./api-request.ts";

export type InputFault =
  | { readonly code: "media_type_unsupported" }
  | { readonly code: "json_malformed"; readonly detail: string }
  | { readonly code: "validation_failed"; readonly errors: readonly FieldFault[] };

type Received = {
  readonly headers: RequestHeaders;
  readonly params: Readonly<Record<string, string>>;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly body: Buffer;
};

const NO_QUERY = z.strictObject({});
const NOTHING = ok({});

/** The input of an operation, checked by its schemas before it runs. */
export function readInput(operation: OperationDescription, received: Received): Result<OperationInput, InputFault> {
  const json = readJson(operation.body, received);
  if (!json.ok) return json;
  const params = check(operation.params, received.params);
  const query = readQuery(operation.query, received.query);
  const body = operation.body === undefined ? ok(undefined) : check(operation.body.schema, json.value);
  if (!params.ok || !query.ok || !body.ok) {
    const errors = [params, query, body].flatMap((part) => (part.ok ? [] : part.reason));
    return fail({ code: "validation_failed", errors });
  }
  return ok({ params: params.value, query: query.value, body: body.value });
}

function check(schema: z.ZodType | undefined, value: unknown): Result<unknown, readonly FieldFault[]> {
  if (schema === undefined) return NOTHING;
  const parsed = schema.safeParse(value);
  return parsed.success ? ok(parsed.data) : fail(fieldFaults(parsed.error));
}

/** A repeated parameter is refused like an unknown one: it is not clear which value was meant. */
function readQuery(schema: z.ZodType | undefined, query: string): Result<unknown, readonly FieldFault[]> {
  if (query === "") return check(schema, {});
  const pairs = [...new URLSearchParams(query)];
  const values = Object.fromEntries(pairs);
  const repeated = Object.keys(values).filter((name) => pairs.filter(([other]) => other === name).length > 1);
  if (repeated.length > 0) return fail(repeated.map((field) => ({ field, message: "must occur once" })));
  return check(schema ?? NO_QUERY, values);
}

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

function readJson(description: BodyDescription | undefined, { headers, body }: Received): Result<unknown, InputFault> {
  if (description === undefined || (body.length === 0 && description.schema.safeParse(undefined).success))
    return ok(undefined);
  const isEncoded = (headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity";
  if (isEncoded || !JSON_TYPE.test(headers.get("content-type") ?? "")) return fail({ code: "media_type_unsupported" });
  const text = decodeUtf8(body);
  const parsed = text === undefined ? fail("text_broken" as const) : parsePlainJson(text);
  return parsed.ok ? parsed : fail({ code: "json_malformed", detail: describe(parsed.reason) });
}

const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

function decodeUtf8(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const isMarked = bytes[0] === BYTE_ORDER_MARK[0] && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return bytes.toString("utf8", isMarked ? BYTE_ORDER_MARK.length : 0);
}

function describe(fault: JsonFault): string {
  if (fault === "name_repeated") return "A name occurs twice in one object.";
  return fault === "text_broken" ? "A text is not valid Unicode." : "The body is not JSON.";
}
