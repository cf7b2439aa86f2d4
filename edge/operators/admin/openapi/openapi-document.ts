import type { ErrorCode } from "../../../shared/errors.ts";
import { openApiOf } from "../../../shared/openapi.ts";
import type { OperationDescription } from "../operation.ts";
import { operations } from "../operations.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { visitorOperations } from "./visitor-operations.ts";

/** The routes under `/_sluice`. */
export function openApiDocument(): Readonly<Record<string, unknown>> {
  return openApiOf<OperationDescription>({
    info: {
      title: "Sluice",
      version: "1",
      summary: "A waiting room at the edge: what visitors' programs and operators can ask of it.",
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

const OPERATOR_REFUSALS: readonly ErrorCode[] = ["operator_token_invalid", "rate_limited", "operator_access_off", "store_unavailable"];
const BODY_REFUSALS: readonly ErrorCode[] = ["json_malformed", "body_too_large", "media_type_unsupported"];

function refusalsOnTheWay({ access, params, query, body }: OperationDescription): readonly ErrorCode[] {
  if (access !== "operator") return [];
  const isChecked = (params ?? query ?? body) !== undefined;
  return [...OPERATOR_REFUSALS, ...(body === undefined ? [] : BODY_REFUSALS), ...(isChecked ? (["validation_failed"] as const) : [])];
}
