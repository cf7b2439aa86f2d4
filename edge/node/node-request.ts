import type { IncomingMessage, ServerResponse } from "node:http";
import { rawUrl } from "./raw-url.ts";

/** What came over the wire. */
type Arrival = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The client waits for a sign (status 100) before it sends the body. */
  readonly expectsContinue?: boolean;
  /** The bytes that came behind a WebSocket handshake; undefined for every other request. */
  readonly socketHead?: Buffer;
};

/**
 * A request of node:http in the shape the app reads. The platform's own Request would resolve and encode the URL before
 * anybody has seen it, refuse TRACE and a GET with a body, and copy every body through a web stream.
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
    this.url = rawUrl(incoming);
    this.method = incoming.method ?? "";
    this.headers = headersOf(incoming.rawHeaders);
    this.#expectsContinue = expectsContinue;
  }

  /** The request behind one that the app hands on. */
  static behind(request: unknown): NodeRequest {
    if (request instanceof NodeRequest) return request;
    throw new TypeError("only a request of this server can be forwarded by it");
  }

  /** What the app needs of a Request is here, and what is not here it does not need. */
  asRequest(): Request {
    return this as unknown as Request;
  }

  /** The peer, named as workerd names it. */
  get cf(): { readonly clientIp: string } {
    const { remoteAddress = "", remotePort = 0, remoteFamily } = this.incoming.socket;
    return { clientIp: remoteFamily === "IPv6" ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}` };
  }

  get hasBody(): boolean {
    const { "content-length": length, "transfer-encoding": coding } = this.incoming.headers;
    return coding !== undefined || (length !== undefined && length !== "0");
  }

  /**
   * For routes of ours: what is forwarded goes from socket to socket. A GET with a length is said to have none, because its
   * body travels like any other here; one that is chunked is refused as everywhere.
   */
  get body(): ReadableStream<Uint8Array> | null {
    if (this.#body === undefined) this.#body = this.hasBody && !this.#isGetWithLength ? ReadableStream.from(this.#pieces()) : null;
    return this.#body;
  }

  get #isGetWithLength(): boolean {
    return (this.method === "GET" || this.method === "HEAD") && this.incoming.headers["transfer-encoding"] === undefined;
  }

  /** A reader that has seen enough stops reading, and the connection stays, so that the client gets the answer that says so. */
  async *#pieces(): AsyncGenerator<Uint8Array> {
    this.letBodyCome();
    yield* this.incoming.iterator({ destroyOnReturn: false });
  }

  /** Somebody is about to read the body. A client that waits for a sign gets it now; one that is refused before never does. */
  letBodyCome(): void {
    if (this.#expectsContinue) this.outgoing.writeContinue();
    this.#expectsContinue = false;
  }
}

function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}
