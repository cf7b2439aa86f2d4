import { type Context, Hono } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { problemResponse } from "../../shared/http/errors.ts";
import { fail, ok } from "../../shared/result.ts";
import type { AdmissionVariables } from "../accounts/admission/admission.ts";
import type { ApiRequest, ReadBody } from "./api-request.ts";
import { addSecurityHeaders } from "./security-headers.ts";
import { type ApiParts, serveOperation } from "./serve-operation.ts";

type Environment = { Variables: AdmissionVariables };

/**
 * The venue's API under `/api/v1` for web requests. On a socket, operations are found without Hono: `api-listener.ts`.
 */
export function apiRoutes(parts: ApiParts): Hono<Environment> {
  const routes = new Hono<Environment>();
  routes.use(async (c, next) => {
    await next();
    addSecurityHeaders(c.res, { isHttps: c.req.header("x-forwarded-proto") === "https" });
  });
  routes.use(methodNotAllowed({ app: routes, onMethodNotAllowed: refuseMethod }));
  for (const operation of parts.operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    routes.on(operation.method.toUpperCase(), path, (c) => serveOperation(operation, requestOf(c), parts));
  }
  return routes;
}

function requestOf({ req }: Context<Environment>): ApiRequest {
  const { raw, method, url } = req;
  return { method, url, headers: raw.headers, params: req.param(), readBody: (bytesMax) => readWebBody(raw, bytesMax) };
}

function refuseMethod(c: Context, methods: readonly string[]): Response {
  const requestId = c.req.header("x-request-id");
  return problemResponse("method_not_allowed", {
    ...(requestId !== undefined && { requestId }),
    headers: { allow: methods.join(", ") },
  });
}

/** Reads the body of a web request, up to a bound. */
async function readWebBody(request: Request, bytesMax: number): Promise<ReadBody> {
  if (request.method === "GET" || request.method === "HEAD" || request.body === null) return ok(Buffer.alloc(0));
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.length;
    if (length > bytesMax) return fail("body_too_large");
    chunks.push(chunk);
  }
  return ok(Buffer.concat(chunks));
}
