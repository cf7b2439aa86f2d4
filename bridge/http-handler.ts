import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { fail } from "../shared/result.ts";
import { type Access, bearerToken } from "./access-tokens.ts";
import type { CommandPolicy } from "./command-policy.ts";
import type { EventStreams } from "./event-streams.ts";
import { tokenParameter } from "./path-command.ts";
import { readBody } from "./read-body.ts";
import { sendJson } from "./send-json.ts";
import { errorJson, STORE_ERRORS, type Store } from "./store/store.ts";
import { toWork } from "./to-work.ts";

type HttpHandlerOptions = {
  readonly store: Store;
  readonly policy: CommandPolicy;
  readonly checkToken: (token: string | undefined) => Access | undefined;
  readonly streams: EventStreams;
  readonly bodyBytesMax: number;
  readonly log: Logger;
};

type Call = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: string;
  readonly access: Access;
};

/** Handles a request in this order: the method, health (which needs no token), the token, streams, commands. */
export function createHttpHandler(options: HttpHandlerOptions): (req: IncomingMessage, res: ServerResponse) => void {
  const { store, policy, checkToken, streams, bodyBytesMax, log } = options;

  return (req, res) => guard(res, () => route(req, res));

  function route(req: IncomingMessage, res: ServerResponse): void {
    const url = req.url ?? "/";
    const access = checkToken(bearerToken(req.headers.authorization) ?? tokenParameter(url));
    if (!isServed(req.method)) sendJson(res, 405, errorJson("ERR only GET, HEAD, POST and PUT are served"));
    else if (url === "/health") answerHealth(res);
    else if (access === undefined) sendJson(res, 401, errorJson("WRONGPASS invalid or missing auth token"));
    else if (streams.isStreamPath(url)) streams.open({ url, access, res });
    else readCommands({ req, res, url, access });
  }

  function readCommands(call: Call): void {
    readBody(call.req, {
      bytesMax: bodyBytesMax,
      onBody: (body) => guard(call.res, () => run(call, body)),
      onTooLarge: () => refuseBody(call.res),
    });
  }

  function run({ req, res, url, access }: Call, body: Buffer): void {
    const isBase64 = req.headers["upstash-encoding"] === "base64";
    const work = answersAsJson(req)
      ? toWork({ url, body, isBase64 }, (command) => policy(command, access))
      : fail(UNKNOWN_FORMAT);
    if (work.ok) store.execute(work.value, (status, json) => sendJson(res, status, json));
    else sendJson(res, 400, errorJson(work.reason));
  }

  function answerHealth(res: ServerResponse): void {
    store.checkHealth((isHealthy) =>
      sendJson(res, isHealthy ? 200 : 503, isHealthy ? '{"status":"ok"}' : '{"status":"unavailable"}'),
    );
  }

  /** A failed assertion ends one request, not the process that serves all of them. */
  function guard(res: ServerResponse, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      log.error({ err: error }, "a request failed in the bridge itself");
      if (!res.headersSent) sendJson(res, 500, errorJson(STORE_ERRORS.fault));
    }
  }

  function refuseBody(res: ServerResponse): void {
    sendJson(res, 413, errorJson(`ERR max request size exceeded: the limit is ${bodyBytesMax} bytes`));
  }
}

const UNKNOWN_FORMAT = "ERR json is the only response format";

function isServed(method: string | undefined): boolean {
  return method === "POST" || method === "GET" || method === "PUT" || method === "HEAD";
}

function answersAsJson(req: IncomingMessage): boolean {
  const format = req.headers["upstash-response-format"];
  return format === undefined || format === "json";
}
