import type { z } from "zod";
import type { ErrorCode } from "../../shared/errors.ts";
import type { Operator } from "./operator.ts";

/**
 * One route of the HTTP API, written down once: what is checked on the way in and what `openapi.json` says about it are
 * the same schemas, so that neither can drift from the other.
 */
export type Operation = OperationDescription & {
  /** What came in has passed the schemas of the description. */
  readonly run: (operator: Operator, input: OperationInput) => Promise<Response>;
};

/** What the document tells; enough for a route whose handler stands elsewhere. */
export type OperationDescription = {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Under `/_sluice`, with parameters in braces. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly access: "operator" | "visitor" | "public";
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: BodyDescription;
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  readonly refusals: readonly ErrorCode[];
};

export type BodyDescription = { readonly schema: z.ZodType; readonly bytesMax?: number };

export type AnswerDescription = {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** JSON unless told otherwise. */
  readonly mediaTypes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
};

export type OperationInput = { readonly params: unknown; readonly query: unknown; readonly body: unknown };

type TypedOperation<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = Omit<
  OperationDescription,
  "params" | "query" | "body" | "access"
> & {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Omit<BodyDescription, "schema"> & { readonly schema: Body };
  readonly run: (
    operator: Operator,
    input: { readonly params: z.output<Params>; readonly query: z.output<Query>; readonly body: z.output<Body> },
  ) => Promise<Response>;
};

/** Ties the handler's input to the schemas; from here on the operation is one of many in a table. */
export function defineOperation<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  operation: TypedOperation<Params, Query, Body>,
): Operation {
  const run: Operation["run"] = (operator, input) => operation.run(operator, input as Parameters<typeof operation.run>[1]);
  return { ...operation, access: "operator", run };
}
