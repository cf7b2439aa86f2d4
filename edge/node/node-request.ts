import type { IncomingMessage, ServerResponse } from "node:http";
import { PlainHeaders } from "./plain-response.ts";

/** A request as it came over the wire. */
type Arrival = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The client waits for a sign (status 100) before it sends the body. */
  readonly expectsContinue?: boolean;
  /** The bytes that came behind a WebSocket handshake; undefined for every other request. */
  readonly socketHead?: Buffer;
};

/**
 * A request of node:http in the shape that the app reads. The platform's own Request would resolve and encode the URL
 * first, refuse TRACE and a GET with a body, and copy every body through a web stream.
 */
export class NodeRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly socketHead: Buffer | undefined;
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  #expectsContinue: boolean;
  #body: ReadableStream<Uint8Array> | null | undefined;

  constructor({ incoming, outgoing, expectsContinue = false, socketHead }: Arrival) {
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.socketHead = socketHead;
    const { headers, host } = readHeaders(incoming.rawHeaders);
    this.url = rawUrl(incoming.url ?? "", host);
    this.method = incoming.method ?? "";
    this.headers = headers.asHeaders();
    this.#expectsContinue = expectsContinue;
  }

  /** The request behind one that the app hands on. */
  static behind(request: unknown): NodeRequest {
    if (request instanceof NodeRequest) return request;
    throw new TypeError("only a request of this server can be forwarded by it");
  }

  /** The app uses no other property of a Request. */
  asRequest(): Request {
    return this as unknown as Request;
  }

  /** The peer, named as workerd names it. */
  get cf(): { readonly clientIp: string } {
    const { remoteAddress = "", remotePort = 0, remoteFamily } = this.incoming.socket;
    return {
      clientIp: remoteFamily === "IPv6" ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
    };
  }

  get hasBody(): boolean {
    const { "content-length": length, "transfer-encoding": coding } = this.incoming.headers;
    return coding !== undefined || (length !== undefined && length !== "0");
  }

  /**
   * For our own routes: forwarded bodies go from socket to socket. A GET with a length reports no body, because its
   * body is forwarded like any other here; a chunked one is refused as everywhere.
   */
  get body(): ReadableStream<Uint8Array> | null {
    if (this.#body === undefined)
      this.#body = this.hasBody && !this.#isGetWithLength ? ReadableStream.from(this.#pieces()) : null;
    return this.#body;
  }

  get #isGetWithLength(): boolean {
    return (
      (this.method === "GET" || this.method === "HEAD") && this.incoming.headers["transfer-encoding"] === undefined
    );
  }

  /**
   * A reader that has seen enough stops reading, and the connection stays, so that the client gets the answer that says
   * so.
   */
  async *#pieces(): AsyncGenerator<Uint8Array> {
    this.letBodyCome();
    yield* this.incoming.iterator({ destroyOnReturn: false });
  }

  /**
   * A reader is about to read the body. A client that expects `100 Continue` gets it now; one that is refused before
   * never does.
   */
  letBodyCome(): void {
    if (this.#expectsContinue) this.outgoing.writeContinue();
    this.#expectsContinue = false;
  }
}

type SentHeaders = {
  readonly headers: PlainHeaders;
  /** Undefined when there is none, or more than one: two servers would each pick another. */
  readonly host: string | undefined;
};

/** In one pass. */
function readHeaders(rawHeaders: readonly string[]): SentHeaders {
  const headers = new PlainHeaders();
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (name === "host") hosts++;
    headers.append(name, rawHeaders[at + 1] ?? "");
  }
  return { headers, host: hosts === 1 ? (headers.get("host") ?? undefined) : undefined };
}

/** Nothing that would end the authority early or split it: what stands here is put between `http://` and the path. */
const HOST = /^[^\s/?#@\\]+$/;

/**
 * The URL of a request as `plainTarget` wants it: the target exactly as it came over the wire, behind its Host. Nothing
 * is resolved or encoded here. A target or a Host in another form than a plain request has is left out, so that the one
 * reader of URLs refuses it. (Bytes beyond ASCII never get here: Node's parser refuses them in a target.)
 */
function rawUrl(target: string, host: string | undefined): string {
  const site = `http://${host !== undefined && HOST.test(host) ? host : ""}`;
  return target.startsWith("/") ? site + target : site;
}
