import type { z } from "zod";
import type { ErrorCode } from "./errors.ts";

/**
 * One route of an HTTP API: the same schemas validate its input and describe it in `openapi.json`, so that neither can
 * drift from the other.
 */
export type OperationDescription<Access extends string = string> = {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Under the document's server, with parameters in braces. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** Longer than one line; Markdown. */
  readonly description?: string;
  readonly access: Access;
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
  /** JSON by default. */
  readonly mediaTypes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** The input, after the schemas of the description have accepted it. */
export type OperationInput = { readonly params: unknown; readonly query: unknown; readonly body: unknown };
