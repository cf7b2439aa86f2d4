import type { z } from "zod";
import type {
  BodyDescription,
  OperationDescription as Description,
  OperationInput,
} from "../../../shared/http/http-operation.ts";
import type { Operator } from "./operator.ts";

/** One route of the operator API; see `shared/http/http-operation.ts`. */
export type Operation = OperationDescription & {
  /** The input has passed the schemas of the description. */
  readonly run: (operator: Operator, input: OperationInput) => Promise<Response>;
};

/** The documented part; enough for a route whose handler is elsewhere. Paths are under `/_sluice`. */
export type OperationDescription = Description<"operator" | "visitor" | "public">;

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
  const run: Operation["run"] = (operator, input) =>
    operation.run(operator, input as Parameters<typeof operation.run>[1]);
  return { ...operation, access: "operator", run };
}
