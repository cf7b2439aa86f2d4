import type { IncomingMessage, ServerResponse } from "node:http";
import { fail } from "../../shared/result.ts";
import { type Access, bearerToken } from "./access-tokens.ts";
import type { CommandPolicy } from "./command-policy.ts";
import type { EventStreams } from "./event-streams.ts";
import { tokenParameter } from "./path-command.ts";
import { readBody } from "./read-body.ts";
import { sendJson } from "./send-json.ts";
import { errorJson, type Store } from "./store.ts";
import { toWork } from "./to-work.ts";

type HttpHandlerOptions = {
  readonly store: Store;
  readonly policy: CommandPolicy;
  readonly checkToken: (token: string | undefined) => Access | undefined;
  readonly streams: EventStreams;
  readonly bodyBytesMax: number;
};

type Call = { readonly req: IncomingMessage; readonly res: ServerResponse; readonly url: string; readonly access: Access };

/** What a caller meets, in order: the method, health (which needs no token), the token, streams, commands. */
export function createHttpHandler(options: HttpHandlerOptions): (req: IncomingMessage, res: ServerResponse) => void {
  const { store, policy, checkToken, streams, bodyBytesMax } = options;

  return (req, res) => {
    const url = req.url ?? "/";
    if (!isServed(req.method)) return sendJson(res, 405, errorJson("ERR only GET, HEAD, POST and PUT are served"));
    if (url === "/health") return answerHealth(res);
    const access = checkToken(bearerToken(req.headers.authorization) ?? tokenParameter(url));
    if (access === undefined) return sendJson(res, 401, errorJson("WRONGPASS invalid or missing auth token"));
    if (streams.isStreamPath(url)) return streams.open({ url, access, res });
    readBody(req, {
      bytesMax: bodyBytesMax,
      onBody: (body) => run({ req, res, url, access }, body),
      onTooLarge: () => refuseBody(res),
    });
  };

  function run({ req, res, url, access }: Call, body: Buffer): void {
    const isBase64 = req.headers["upstash-encoding"] === "base64";
    const work = answersAsJson(req) ? toWork({ url, body, isBase64 }, (command) => policy(command, access)) : fail(UNKNOWN_FORMAT);
    if (work.ok) store.execute(work.value, (status, json) => sendJson(res, status, json));
    else sendJson(res, 400, errorJson(work.reason));
  }

  function answerHealth(res: ServerResponse): void {
    store.checkHealth((isHealthy) => sendJson(res, isHealthy ? 200 : 503, isHealthy ? '{"status":"ok"}' : '{"status":"unavailable"}'));
  }

  /** The rest of the body is not read, so the connection cannot serve another request. */
  function refuseBody(res: ServerResponse): void {
    res.setHeader("connection", "close");
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
