import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { PASS_HEADER } from "../../shared/admission.ts";
import { refusalOfPass } from "../admission/admission.ts";
import type { PassCheck } from "../admission/pass-check.ts";
import type { FailureAnswer } from "../failure-answer.ts";
import { ClientLeft, type RequestHeaders } from "./api-request.ts";
import { createOperationRouter, type RoutedOperation } from "./operation-router.ts";
import { readIncomingBody } from "./read-incoming-body.ts";
import { addSecurityHeaders } from "./security-headers.ts";
import { type ApiParts, serveOperation } from "./serve-operation.ts";
import { writeAnswer } from "./write-answer.ts";

/** Takes a request that is for an operation of the API, and answers it; false for any other, which is left as it is. */
export type ApiListener = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

type ListenerParts = ApiParts & { readonly checkPass: PassCheck; readonly failureAnswer: FailureAnswer };

export const API_PREFIX = "/api/v1";

/**
 * The API on a socket. An order costs more in objects of the web platform (Request, Headers, streams, a chain of middlewares) than in
 * everything the venue asks about it, so that requests go from `node:http` to the operation without them. The rules are the same ones, in
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

/** Names are asked for in small letters. What comes twice is joined by a comma, as everywhere (`joinDuplicateHeaders`). */
function readHeaders(headers: IncomingHttpHeaders): RequestHeaders {
  return {
    get: (name) => (headers[name] as string | undefined) ?? null,
    has: (name) => headers[name] !== undefined,
  };
}
