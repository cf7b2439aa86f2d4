import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { PASS_HEADER } from "../../shared/tokens/admission.ts";
import type { PassCheck } from "../accounts/admission/admission.ts";
import { refusalOfPass } from "../accounts/admission/admission.ts";
import { ClientLeft, type RequestHeaders } from "./api-request.ts";
import type { FailureAnswer } from "./failure-answer.ts";
import { readIncomingBody, writeAnswer } from "./http-exchange.ts";
import type { VenueOperation } from "./operation.ts";
import { addSecurityHeaders } from "./security-headers.ts";
import { type ApiParts, serveOperation } from "./serve-operation.ts";

/** Answers a request for an operation of the API; returns false for any other request and leaves it as it is. */
export type ApiListener = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

type ListenerParts = ApiParts & { readonly checkPass: PassCheck; readonly failureAnswer: FailureAnswer };

export const API_PREFIX = "/api/v1";

/**
 * The API on a socket. Objects of the web platform (Request, Headers, streams, middleware) cost more than everything
 * else that an order needs, so requests go from `node:http` to the operation without them. The rules are the same, in
 * the same place: `serveOperation`.
 */
export function createApiListener({ checkPass, failureAnswer, ...parts }: ListenerParts): ApiListener {
  const route = createOperationRouter(parts.operations, API_PREFIX);

  async function answer({ operation, params }: RoutedOperation, { incoming, outgoing, path }: Asked): Promise<void> {
    const { method = "" } = incoming;
    const headers = readHeaders(incoming.headers);
    const requestId = headers.get("x-request-id") ?? undefined;
    let response: Response;
    try {
      const url = `http://venue${incoming.url}`;
      const readBody = (bytesMax: number) => readIncomingBody(incoming, bytesMax);
      response =
        (await refusalOfPass(checkPass, { pass: headers.get(PASS_HEADER) ?? undefined, path, requestId })) ??
        (await serveOperation(operation, { method, url, headers, params, readBody }, parts));
    } catch (error) {
      if (error instanceof ClientLeft) {
        outgoing.destroy();
        return;
      }
      response = failureAnswer(error, { method, path, requestId });
    }
    addSecurityHeaders(response, { isHttps: headers.get("x-forwarded-proto") === "https" });
    await writeAnswer({ incoming, outgoing }, response);
  }

  return (incoming, outgoing) => {
    const path = pathOf(incoming.url ?? "");
    const routed = route(incoming.method ?? "", path);
    if (routed === undefined) return false;
    answer(routed, { incoming, outgoing, path }).catch((error: unknown) => {
      failureAnswer(error, { method: incoming.method ?? "", path, requestId: undefined });
      outgoing.destroy();
    });
    return true;
  };
}

type Asked = { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse; readonly path: string };

function pathOf(target: string): string {
  const end = target.indexOf("?");
  return end === -1 ? target : target.slice(0, end);
}

/** Names are in lower case. Repeated headers are joined by a comma (`joinDuplicateHeaders`). */
function readHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  return {
    get: (name) => (headers[name] as string | undefined) ?? null,
    has: (name) => headers[name] !== undefined,
  };
}

/** Finds the operation of a request and its path parameters. */
type OperationRouter = (method: string, path: string) => RoutedOperation | undefined;

type RoutedOperation = { readonly operation: VenueOperation; readonly params: Readonly<Record<string, string>> };

type Route = { readonly operation: VenueOperation; readonly segments: readonly Segment[] };
type Segment = { readonly text: string } | { readonly param: string };

const NO_PARAMS = {};
const PARAM = /^\{(\w+)\}$/;

/**
 * The same table that Hono has, without Hono: the first route that matches, segment by segment. Paths include the
 * prefix.
 */
function createOperationRouter(operations: readonly VenueOperation[], prefix: string): OperationRouter {
  const plain = new Map<string, RoutedOperation>();
  const byShape = new Map<string, Route[]>();
  for (const operation of operations) {
    const path = prefix + operation.path;
    const method = operation.method.toUpperCase();
    const segments = path.split("/").map((text): Segment => {
      const param = PARAM.exec(text)?.[1];
      return param === undefined ? { text } : { param };
    });
    const shape = `${method} ${segments.length}`;
    byShape.set(shape, [...(byShape.get(shape) ?? []), { operation, segments }]);
  }
  // A path without parameters is looked up directly where no earlier route with parameters matches it.
  for (const operation of operations) {
    const key = `${operation.method.toUpperCase()} ${prefix}${operation.path}`;
    const first = search(operation.method.toUpperCase(), prefix + operation.path);
    if (first !== undefined && !operation.path.includes("{")) plain.set(key, first);
  }

  function search(method: string, path: string): RoutedOperation | undefined {
    const parts = path.split("/");
    for (const route of byShape.get(`${method} ${parts.length}`) ?? []) {
      const params = paramsOf(route, parts);
      if (params !== undefined) return { operation: route.operation, params };
    }
    return undefined;
  }

  return (method, path) => plain.get(`${method} ${path}`) ?? search(method, path);
}

function paramsOf({ segments }: Route, parts: readonly string[]): Readonly<Record<string, string>> | undefined {
  let params: Record<string, string> | undefined;
  for (const [index, segment] of segments.entries()) {
    const part = decoded(parts[index] ?? "");
    if (part === undefined) return undefined;
    if ("param" in segment) {
      if (part === "") return undefined;
      params ??= {};
      params[segment.param] = part;
    } else if (segment.text !== part) return undefined;
  }
  return params ?? NO_PARAMS;
}

function decoded(part: string): string | undefined {
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
