import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "./errors.ts";
import type { AnswerDescription, OperationDescription } from "./http-operation.ts";

type Json = Readonly<Record<string, unknown>>;

/** A schema with an id here becomes a component of the document. */
export type SchemaRegistry = z.core.$ZodRegistry<{ id: string }>;

type DocumentParts<Described extends OperationDescription> = {
  readonly info: Json;
  readonly server: string;
  readonly operations: readonly Described[];
  readonly bodySchemas: SchemaRegistry;
  readonly answerSchemas: SchemaRegistry;
  readonly securitySchemes: Json;
  readonly securityOf: (operation: Described) => readonly Json[];
  /** Answers of the checks before the operation itself. */
  readonly refusalsOnTheWay: (operation: Described) => readonly ErrorCode[];
  /** Members of our own for an operation, named `x-…`. */
  readonly extensionsOf?: (operation: Described) => Json;
};

/** OpenAPI 3.1, whose schemas are JSON Schema 2020-12, which zod writes. */
export function openApiOf<Described extends OperationDescription>(parts: DocumentParts<Described>): Json {
  const { operations, bodySchemas, answerSchemas, securitySchemes } = parts;
  return {
    openapi: "3.1.1",
    info: parts.info,
    servers: [{ url: parts.server }],
    tags: [...new Set(operations.map(({ access }) => access))].map((name) => ({ name })),
    paths: pathsOf(parts),
    components: {
      schemas: { ...componentsOf(answerSchemas, "output"), ...componentsOf(bodySchemas, "input") },
      securitySchemes,
    },
  };
}

/** A problem document (RFC 9457). */
export const problemSchema = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int().min(400).max(599),
  code: z.string().describe("Stable: switch on this."),
  retry: z.enum(["never", "later"]).describe("Whether the same request can succeed when it is retried."),
  detail: z.string().optional(),
  requestId: z.string().optional(),
  challenge: z
    .looseObject({
      token: z.string(),
      id: z.string(),
      bits: z.int(),
      algorithm: z.literal("sha-256"),
      expiresAt: z.int(),
    })
    .optional()
    .describe("The work that is asked for: see `proof`."),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});

function pathsOf<Described extends OperationDescription>(parts: DocumentParts<Described>): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of parts.operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(parts, operation) };
  }
  return paths;
}

function operationObject<Described extends OperationDescription>(
  parts: DocumentParts<Described>,
  operation: Described,
): Json {
  const { id, summary, description, access, params, query, headers, body } = operation;
  const inputSchema = (schema: z.ZodType) => schemaOf(schema, "input", parts.bodySchemas);
  const parameters = [
    ...parametersOf(params, "path", inputSchema),
    ...parametersOf(query, "query", inputSchema),
    ...parametersOf(headers, "header", inputSchema),
  ];
  const object = {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [access],
    security: parts.securityOf(operation),
    ...parts.extensionsOf?.(operation),
    parameters,
    responses: responsesOf(parts, operation),
  };
  if (body === undefined) return object;
  const required = !body.schema.safeParse(undefined).success;
  return {
    ...object,
    requestBody: { required, content: { "application/json": { schema: inputSchema(body.schema) } } },
  };
}

type ToSchema = (schema: z.ZodType) => Json;

function parametersOf(
  schema: z.ZodObject | undefined,
  place: "path" | "query" | "header",
  toSchema: ToSchema,
): readonly Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const required = place === "path" || !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, schema: toSchema(field as z.ZodType) };
  });
}

function responsesOf<Described extends OperationDescription>(
  parts: DocumentParts<Described>,
  operation: Described,
): Json {
  const toSchema = (schema: z.ZodType) => schemaOf(schema, "output", parts.answerSchemas);
  const codes = [...operation.refusals, ...parts.refusalsOnTheWay(operation)];
  const statuses = new Set(codes.map((code) => errorCatalogue[code].status));
  const problems = [...statuses].map((status) => [
    status,
    problemResponseObject(
      codes.filter((code) => errorCatalogue[code].status === status),
      toSchema,
    ),
  ]);
  const successes = Object.entries(operation.answers).map(([status, answer]) => [
    status,
    responseObject(answer, toSchema),
  ]);
  return Object.fromEntries([...successes, ...problems]);
}

function problemResponseObject(codes: readonly ErrorCode[], toSchema: ToSchema): Json {
  const description = [...new Set(codes)].map((code) => `\`${code}\`: ${errorCatalogue[code].title}`).join(" ");
  return { description, content: { "application/problem+json": { schema: toSchema(problemSchema) } } };
}

function responseObject(answer: AnswerDescription, toSchema: ToSchema): Json {
  const { description, schema, mediaTypes = ["application/json"], headers = {} } = answer;
  const described = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: "string" } },
  ]);
  const content =
    schema === undefined ? {} : Object.fromEntries(mediaTypes.map((type) => [type, { schema: toSchema(schema) }]));
  return { description, headers: Object.fromEntries(described), ...(schema === undefined ? {} : { content }) };
}

type Direction = "input" | "output";

function schemaOf(schema: z.ZodType, io: Direction, registry: SchemaRegistry): Json {
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  const id = registry.get(inner)?.id;
  return id === undefined
    ? withoutDialect(z.toJSONSchema(inner, { io, unrepresentable: "any" }))
    : { $ref: componentUri(id) };
}

function componentsOf(registry: SchemaRegistry, io: Direction): Json {
  const { schemas } = z.toJSONSchema(registry, { io, unrepresentable: "any", uri: componentUri });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutDialect(schema)]));
}

function componentUri(id: string): string {
  return `#/components/schemas/${id}`;
}

/** OpenAPI says once, for all schemas, which dialect they are in; an `$id` would change what their references mean. */
function withoutDialect({ $schema: _dialect, $id: _id, ...schema }: Json): Json {
  return schema;
}
