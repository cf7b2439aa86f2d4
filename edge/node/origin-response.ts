import type { IncomingMessage } from "node:http";
import type { Tunnel } from "./tunnel.ts";

type Answer = { readonly status: number; readonly statusText: string; readonly headers: Headers };

/** An answer of the origin whose body goes from socket to socket, without a web stream in between. */
export class OriginResponse extends Response {
  readonly stream: IncomingMessage;

  constructor(stream: IncomingMessage, answer: Answer) {
    super(null, answer);
    this.stream = stream;
  }
}

/** The platform makes no Response of status 101. */
const STATUS_IN_ITS_PLACE = 200;

/** The origin has accepted a WebSocket. The client hears of it when the server writes this answer. */
export class SwitchedResponse extends Response {
  /** Named as workerd names it, so that the app sees on either platform that this is a socket. */
  readonly webSocket: Tunnel;

  constructor(tunnel: Tunnel, headers: Headers) {
    super(null, { status: STATUS_IN_ITS_PLACE, headers });
    this.webSocket = tunnel;
  }
}
