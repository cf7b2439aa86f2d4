import type { ClientRequest, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { finishResponseHeaders, isForbiddenTarget, OriginClock, originFailure } from "../proxy/forwarding.ts";
import type { Forwarding } from "../proxy/platform.ts";
import type { Visit } from "../request/read-visit.ts";
import { NodeRequest } from "./node-request.ts";
import type { OriginAgent, OriginAgents } from "./origin-agents.ts";
import { PlainHeaders, PlainResponse } from "./plain-response.ts";
import { Tunnel } from "./tunnel.ts";

/** The origin's first words. */
type Outcome =
  | { readonly kind: "answer"; readonly message: IncomingMessage }
  | { readonly kind: "socket"; readonly message: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

/**
 * The same promises as `edge/proxy/forward.ts`, over node:http: an answer in any case (the origin's own, 502, or 504),
 * streams both ways, and a request to the origin that ends with its client. A request that reads and has no body is
 * tried once more when a connection that was used before ended before an answer began; nothing else is tried twice.
 */
export function createForward(agents: OriginAgents) {
  return async function forward(
    visit: Visit,
    { onOriginHeaders, targetUrl = null }: Forwarding = {},
  ): Promise<Response> {
    if (targetUrl !== null && isForbiddenTarget(visit, targetUrl)) {
      return originFailure(visit, "origin_unreachable", new Error("targetUrl is not public"));
    }
    const request = NodeRequest.behind(visit.request);
    const clock = new OriginClock(visit.configuration.originTimeoutMs);
    const open = () =>
      targetUrl === null ? askOrigin(agents, visit, request) : askUpstream(agents.to(targetUrl), visit, request);
    let asked = open();
    request.outgoing.once("close", () => asked.destroy());
    const askAgain = (error: unknown): Promise<Outcome> => {
      if (!asked.reusedSocket || !isRepeatable(request)) throw error;
      asked = open();
      const words = firstWords(asked);
      asked.end();
      return words;
    };
    let outcome: Outcome | "expired";
    try {
      const answer = clock.answerOf(firstWords(asked).catch(askAgain));
      send(request, asked, clock);
      outcome = await answer;
    } catch (error) {
      return failed(visit, request, error);
    } finally {
      clock.pause();
    }
    if (outcome === "expired") {
      asked.destroy();
      return originFailure(visit, "origin_timeout");
    }
    return toClient({ visit, request, outcome, asked, onOriginHeaders });
  };
}

/** The origin is asked under the visitor's host; an upstream under its own. */
function askOrigin({ origin }: OriginAgents, visit: Visit, request: NodeRequest): ClientRequest {
  return origin.open(originRequest(origin, visit, request, hostOf(visit.target.site)));
}

function askUpstream(upstream: OriginAgent, visit: Visit, request: NodeRequest): ClientRequest {
  return upstream.open(originRequest(upstream, visit, request, upstream.host));
}

function originRequest({ address }: OriginAgent, { target, headers }: Visit, request: NodeRequest, host: string) {
  const lines: string[] = ["host", host];
  for (const [name, value] of headers) if (name !== "host" && name !== "upgrade") lines.push(name, value);
  if (request.socketHead !== undefined) lines.push("connection", "Upgrade", "upgrade", "websocket");
  else lines.push(...framingOf(request));
  return { ...address, method: request.method, path: target.path + target.query, headers: lines };
}

let lastSite = "";
let lastHost = "";

/** The host that the client asked for, as URL parsers write it. Nearly all requests name the same. */
function hostOf(site: string): string {
  if (site !== lastSite) {
    lastHost = new URL(site).host;
    lastSite = site;
  }
  return lastHost;
}

/** A body keeps its framing: its Content-Length is among the headers; what came chunked goes out chunked. */
function framingOf({ incoming: { headers }, method }: NodeRequest): readonly string[] {
  if (headers["transfer-encoding"] !== undefined) return ["transfer-encoding", "chunked"];
  return headers["content-length"] === undefined && TAKES_BODY.has(method) ? ["content-length", "0"] : [];
}

/** Node would send an empty chunked body where nothing is said. */
const TAKES_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

function firstWords(asked: ClientRequest): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    asked.once("response", (message: IncomingMessage) => resolve({ kind: "answer", message }));
    asked.once("upgrade", (message: IncomingMessage, socket: Duplex, head: Buffer) =>
      resolve({ kind: "socket", message, socket, head }),
    );
    // It stays: an error after the first words belongs to the body, and the one who reads that sees it there.
    asked.on("error", reject);
  });
}

function send(request: NodeRequest, asked: ClientRequest, clock: OriginClock): void {
  if (!request.hasBody) {
    clock.run();
    asked.end();
    return;
  }
  request.letBodyCome();
  sendUpload({ from: request.incoming, to: asked, clock });
}

/** RFC 9110, 9.2.2; a handshake is no request that can be repeated. */
function isRepeatable({ method, hasBody, socketHead, outgoing }: NodeRequest): boolean {
  return (
    (method === "GET" || method === "HEAD" || method === "OPTIONS") &&
    !hasBody &&
    socketHead === undefined &&
    !outgoing.destroyed
  );
}

/** The client is gone and does not read it. */
const CLIENT_LEFT = 499;

function failed(visit: Visit, { outgoing }: NodeRequest, error: unknown): Response {
  return outgoing.destroyed
    ? new Response(null, { status: CLIENT_LEFT })
    : originFailure(visit, "origin_unreachable", error);
}

type Heard = {
  readonly visit: Visit;
  readonly request: NodeRequest;
  readonly outcome: Outcome;
  readonly asked: ClientRequest;
  readonly onOriginHeaders: ((headers: Headers) => void) | undefined;
};

const STATUS_MIN = 200;
const STATUS_MAX = 599;

function toClient({ visit, request, outcome, asked, onOriginHeaders }: Heard): Response {
  const { message } = outcome;
  const status = message.statusCode ?? 0;
  const isUnasked = outcome.kind === "socket" && request.socketHead === undefined;
  if (isUnasked || (outcome.kind === "answer" && (status < STATUS_MIN || status > STATUS_MAX))) {
    asked.destroy();
    if (outcome.kind === "socket") outcome.socket.destroy();
    return originFailure(
      visit,
      "origin_unreachable",
      new Error(`the origin answered with status ${status}, which cannot be passed on`),
    );
  }
  const headers = headersOf(message.rawHeaders);
  onOriginHeaders?.(headers.asHeaders());
  finishResponseHeaders(headers.asHeaders(), visit.requestId);
  headers.delete("connection");
  if (outcome.kind === "socket") return switched(request, outcome, headers);
  // The reader of the body sees that it broke off; without a reader it does not matter.
  message.on("error", ignore);
  if (request.method === "HEAD") message.resume();
  return new OriginResponse(message, { status, statusText: message.statusMessage ?? "", headers }).asResponse();
}

function switched(
  request: NodeRequest,
  { socket, head }: Extract<Outcome, { kind: "socket" }>,
  headers: PlainHeaders,
): Response {
  const tunnel = new Tunnel({ origin: socket, originHead: head });
  request.outgoing.once("close", () => tunnel.isOpen || socket.destroy());
  return new SwitchedResponse(tunnel, headers).asResponse();
}

/** They speak about the connection between the origin and us. Connection itself is read once more before it goes. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(["keep-alive", "trailer", "transfer-encoding", "upgrade"]);

function headersOf(rawHeaders: readonly string[]): PlainHeaders {
  const headers = new PlainHeaders();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.append(name, rawHeaders[at + 1] ?? "");
  }
  return headers;
}

const ignore = () => undefined;

type Answer = { readonly status: number; readonly statusText: string; readonly headers: PlainHeaders };

/** An answer of the origin whose body goes from socket to socket, without a web stream in between. */
export class OriginResponse extends PlainResponse {
  readonly stream: IncomingMessage;

  constructor(stream: IncomingMessage, answer: Answer) {
    super(null, answer);
    this.stream = stream;
  }
}

const STATUS_SWITCHING = 101;

/** The origin has accepted a WebSocket. The server writes this response to the client. */
export class SwitchedResponse extends PlainResponse {
  /** Named as workerd names it, so that the app sees on either platform that this is a socket. */
  readonly webSocket: Tunnel;

  constructor(tunnel: Tunnel, headers: PlainHeaders) {
    super(null, { status: STATUS_SWITCHING, headers });
    this.webSocket = tunnel;
  }
}

type Upload = { readonly from: IncomingMessage; readonly to: ClientRequest; readonly clock: OriginClock };

/**
 * Moves a request's body to the origin no faster than the origin takes it, and tells the clock whose turn it is: the
 * origin's while a piece is on its way or once it has the whole request, the client's otherwise. A body that breaks off
 * is never ended here: the request to the origin goes with its client, and half an upload is not taken for a whole one.
 */
function sendUpload({ from, to, clock }: Upload): void {
  let piecesOnTheWay = 0;
  const onTaken = () => {
    piecesOnTheWay--;
    if (piecesOnTheWay > 0) clock.run();
    else if (!from.readableEnded) clock.pause();
  };
  from.on("data", (bytes: Buffer) => {
    if (piecesOnTheWay === 0) clock.run();
    piecesOnTheWay++;
    if (!to.write(bytes, onTaken)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.on("end", () => {
    clock.run();
    to.end();
  });
  // The origin wants no more of it: it has answered early or is gone. The server lets go what still comes.
  to.on("close", () => from.removeAllListeners("data"));
}
