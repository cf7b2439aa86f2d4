import type { ErrorCode } from "../../shared/http/errors.ts";
import { openApiOf } from "../../shared/http/openapi.ts";
import type { VenueDescription } from "./operation.ts";
import { answerSchemas, bodySchemas } from "./schemas.ts";

/** The routes under `/api/v1`, from the schemas that check requests. */
export function venueDocument(operations: readonly VenueDescription[]): Readonly<Record<string, unknown>> {
  return openApiOf<VenueDescription>({
    info: {
      title: "Sluice venue",
      version: "1",
      summary: "The trading venue behind the gate.",
      description:
        "Every request also carries the gate's pass (browsers send it in a cookie). JSON is camelCase, times are milliseconds since 1970. " +
        "Errors are problem details (RFC 9457) with a stable `code`. Any route can answer `token_invalid` (no pass) and `internal_error`.",
    },
    server: "/api/v1",
    operations,
    bodySchemas,
    answerSchemas,
    securitySchemes: {
      accessToken: {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "From `/auth/login`; valid for 15 minutes.",
      },
      apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The id of an API key." },
      apiKeyTime: { type: "apiKey", in: "header", name: "x-api-timestamp", description: "Milliseconds since 1970." },
      apiKeySignature: { type: "apiKey", in: "header", name: "x-api-signature", description: SIGNING },
    },
    securityOf: ({ access, permission }) => {
      if (access === "public") return [];
      return permission === undefined ? [{ accessToken: [] }] : [{ accessToken: [] }, SIGNED];
    },
    refusalsOnTheWay,
    extensionsOf: ({ limit, permission }) => ({
      "x-sluice-limit": limit,
      ...(permission !== undefined && { "x-sluice-permission": permission }),
    }),
  });
}

/** All three headers are required. */
const SIGNED = { apiKey: [], apiKeyTime: [], apiKeySignature: [] };

const SIGNING =
  "HMAC-SHA256 in hexadecimal, with the key's secret, over these lines joined by a newline: `SLUICE-HMAC-SHA256`, " +
  "the timestamp, the window in ms (`x-api-window`, 5000 by default, " +
  "at most 10000), the nonce (`x-api-nonce`, may be empty), the method, the path from `/api/v1` on, " +
  "the query's parts sorted by their bytes and joined by `&`, the SHA-256 of the body in hexadecimal.";

const KEY_REFUSALS: readonly ErrorCode[] = [
  ...(["signature_invalid", "timestamp_outside_window", "request_replayed"] as const),
  ...(["key_expired", "address_not_allowed", "permission_missing"] as const),
];

const ALWAYS: readonly ErrorCode[] = ["other_site_refused", "rate_limited", "store_unavailable", "venue_maintenance"];
const BODY_REFUSALS: readonly ErrorCode[] = ["json_malformed", "body_too_large", "media_type_unsupported"];

function refusalsOnTheWay({ access, params, query, body }: VenueDescription): readonly ErrorCode[] {
  const codes: ErrorCode[] = [...ALWAYS];
  if (access !== "public") codes.push("not_signed_in", ...KEY_REFUSALS);
  if (access === "admin") codes.push("not_allowed");
  if (body !== undefined) codes.push(...BODY_REFUSALS);
  if ((params ?? query ?? body) !== undefined) codes.push("validation_failed");
  return codes;
}
