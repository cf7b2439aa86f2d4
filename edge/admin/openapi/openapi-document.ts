import { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../../../shared/errors.ts";
import type { AnswerDescription, OperationDescription } from "../operation.ts";
import { operations } from "../operations.ts";
import { answerSchemas, bodySchemas, problemSchema } from "../schemas.ts";
import { visitorOperations } from "./visitor-operations.ts";

type Json = Readonly<Record<string, unknown>>;

/** The routes under `/_sluice` as OpenAPI 3.1, whose schemas are JSON Schema 2020-12: what zod writes can stand there as it is. */
export function openApiDocument(): Json {
  return {
    openapi: "3.1.1",
    info: {
      title: "Sluice",
      version: "1",
      summary: "A waiting room at the edge: what visitors' programs and operators can ask of it.",
      description:
        "JSON is camelCase, times are milliseconds since 1970. Errors are problem details (RFC 9457) with a stable `code`; " +
        "on any route also `path_not_plain`, `request_ambiguous`, `url_too_long` and `internal_error`.",
    },
    servers: [{ url: "/_sluice" }],
    tags: [{ name: "visitor" }, { name: "operator" }, { name: "public" }],
    paths: pathsOf([...visitorOperations, ...operations]),
    components: {
      schemas: { ...componentsOf(answerSchemas, "output"), ...componentsOf(bodySchemas, "input") },
      securitySchemes: {
        operatorToken: { type: "http", scheme: "bearer", description: "SLUICE_ADMIN_TOKEN" },
        visitorToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The ticket or pass that `enter` answered; browsers send it in a cookie instead.",
        },
      },
    },
  };
}

function pathsOf(described: readonly OperationDescription[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of described) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  }
  return paths;
}

const SECURITY = { operator: [{ operatorToken: [] }], visitor: [{ visitorToken: [] }, {}], public: [] };

function operationObject(operation: OperationDescription): Json {
  const { id, summary, access, params, query, headers, body } = operation;
  const parameters = [...parametersOf(params, "path"), ...parametersOf(query, "query"), ...parametersOf(headers, "header")];
  const object = { operationId: id, summary, tags: [access], security: SECURITY[access], parameters, responses: responsesOf(operation) };
  if (body === undefined) return object;
  const required = !body.schema.safeParse(undefined).success;
  return { ...object, requestBody: { required, content: { "application/json": { schema: schemaOf(body.schema, "input") } } } };
}

function parametersOf(schema: z.ZodObject | undefined, place: "path" | "query" | "header"): readonly Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const required = place === "path" || !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, schema: schemaOf(field as z.ZodType, "input") };
  });
}

/** What every operator can meet on the way in, before the operation itself. */
const OPERATOR_REFUSALS: readonly ErrorCode[] = ["operator_token_invalid", "rate_limited", "operator_access_off", "store_unavailable"];
const BODY_REFUSALS: readonly ErrorCode[] = ["json_malformed", "body_too_large", "media_type_unsupported"];

function responsesOf({ answers, refusals, access, params, query, body }: OperationDescription): Json {
  const codes = [
    ...refusals,
    ...(access === "operator" ? OPERATOR_REFUSALS : []),
    ...(access === "operator" && body !== undefined ? BODY_REFUSALS : []),
    ...(access === "operator" && (params ?? query ?? body) !== undefined ? (["validation_failed"] as const) : []),
  ];
  const statuses = new Set(codes.map((code) => errorCatalogue[code].status));
  const problems = [...statuses].map((status) => [
    status,
    problemResponseObject(codes.filter((code) => errorCatalogue[code].status === status)),
  ]);
  const successes = Object.entries(answers).map(([status, answer]) => [status, responseObject(answer)]);
  return Object.fromEntries([...successes, ...problems]);
}

function problemResponseObject(codes: readonly ErrorCode[]): Json {
  const description = [...new Set(codes)].map((code) => `\`${code}\`: ${errorCatalogue[code].title}`).join(" ");
  return { description, content: { "application/problem+json": { schema: schemaOf(problemSchema, "output") } } };
}

function responseObject({ description, schema, mediaTypes = ["application/json"], headers = {} }: AnswerDescription): Json {
  const described = Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: "string" } }]);
  const content = schema === undefined ? {} : Object.fromEntries(mediaTypes.map((type) => [type, { schema: schemaOf(schema, "output") }]));
  return { description, headers: Object.fromEntries(described), ...(schema === undefined ? {} : { content }) };
}

type Direction = "input" | "output";

function schemaOf(schema: z.ZodType, io: Direction): Json {
  const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  const id = (io === "input" ? bodySchemas : answerSchemas).get(inner)?.id;
  return id === undefined ? withoutDialect(z.toJSONSchema(inner, { io, unrepresentable: "any" })) : { $ref: componentUri(id) };
}

function componentsOf(registry: typeof bodySchemas, io: Direction): Json {
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
