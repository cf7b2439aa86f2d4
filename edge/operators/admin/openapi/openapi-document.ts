import type { Context } from "hono";
import type { ErrorCode } from "../../../../shared/http/errors.ts";
import { openApiOf } from "../../../../shared/http/openapi.ts";
import type { EdgeEnvironment } from "../../../request/env.ts";
import type { OperationDescription } from "../operation.ts";
import { operations } from "../operations.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { visitorOperations } from "./visitor-operations.ts";

const MAX_AGE_SECONDS = 300;

let text: string | undefined;

/** `GET /_sluice/openapi.json`: written once per isolate, when first asked for. It holds nothing that is secret. */
export function openApiRoute(_c: Context<EdgeEnvironment>): Response {
  text ??= JSON.stringify(openApiDocument());
  return new Response(text, {
    headers: { "content-type": "application/json", "cache-control": `public, max-age=${MAX_AGE_SECONDS}` },
  });
}

/** The routes under `/_sluice`. */
function openApiDocument(): Readonly<Record<string, unknown>> {
  return openApiOf<OperationDescription>({
    info: {
      title: "Sluice",
      version: "1",
      summary: "A waiting room at the edge: the API for visitors' programs and operators.",
      description:
        "JSON is camelCase, times are milliseconds since 1970. Errors are problem details (RFC 9457) with a stable `code`; " +
        "on any route also `path_not_plain`, `request_ambiguous`, `url_too_long` and `internal_error`.",
    },
    server: "/_sluice",
    operations: [...visitorOperations, ...operations],
    bodySchemas,
    answerSchemas,
    securitySchemes: {
      operatorToken: { type: "http", scheme: "bearer", description: "SLUICE_ADMIN_TOKEN" },
      visitorToken: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "The ticket or pass that `enter` answered; browsers send it in a cookie instead.",
      },
    },
    securityOf: ({ access }) => SECURITY[access],
    refusalsOnTheWay,
  });
}

const SECURITY = { operator: [{ operatorToken: [] }], visitor: [{ visitorToken: [] }, {}], public: [] };

const OPERATOR_REFUSALS: readonly ErrorCode[] = [
  "operator_token_invalid",
  "rate_limited",
  "operator_access_off",
  "store_unavailable",
];
const BODY_REFUSALS: readonly ErrorCode[] = ["json_malformed", "body_too_large", "media_type_unsupported"];

function refusalsOnTheWay({ access, params, query, body }: OperationDescription): readonly ErrorCode[] {
  if (access !== "operator") return [];
  const isChecked = (params ?? query ?? body) !== undefined;
  return [
    ...OPERATOR_REFUSALS,
    ...(body === undefined ? [] : BODY_REFUSALS),
    ...(isChecked ? (["validation_failed"] as const) : []),
  ];
}
