import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { CHECK_MS, CLOSE_CODES, type SessionWatch } from "../proxy/platform.ts";
import { FrameGate } from "./frame-gate.ts";

/** How long the two ends of a closing WebSocket have for their last words. */
const LAST_WORDS_MS_MAX = 1_000;
/** A peer that has lost its power says nothing; only the kernel's question finds out. */
const PEER_CHECK_MS = 60_000;

type Ends = { readonly client: Duplex; readonly origin: Duplex };

/**
 * A WebSocket that the origin has accepted: two sockets, and bytes from one to the other. Pings, close codes and
 * extensions are between the two ends. Of a session that may be lost the frames are followed, so that it can be closed
 * between two of them.
 */
export class Tunnel {
  readonly #origin: Duplex;
  readonly #originHead: Buffer;
  #watch: SessionWatch | undefined;
  isOpen = false;

  constructor({ origin, originHead }: { readonly origin: Duplex; readonly originHead: Buffer }) {
    this.#origin = origin;
    this.#originHead = originHead;
    // Before the tunnel is open there is no reader, and an error must not end the process.
    origin.on("error", ignore);
  }

  /** To be called before the tunnel is opened. */
  watchWith(watch: SessionWatch): void {
    this.#watch = watch;
  }

  open(client: Duplex, clientHead: Buffer): void {
    this.isOpen = true;
    const ends = { client, origin: this.#origin };
    bindTogether(ends);
    if (clientHead.length > 0) client.unshift(clientHead);
    if (this.#originHead.length > 0) this.#origin.unshift(this.#originHead);
    if (this.#watch === undefined) client.pipe(this.#origin).pipe(client);
    else pipeWatched(ends, this.#watch);
  }

  /** The tunnel will not be opened. */
  abandon(): void {
    this.#origin.destroy();
  }
}

/** When one end is gone, the other one goes after what is still on its way to it; when one says no more, soon after. */
function bindTogether({ client, origin }: Ends): void {
  const destroyBoth = () => {
    client.destroy();
    origin.destroy();
  };
  for (const [end, other] of [
    [client, origin],
    [origin, client],
  ] as const) {
    if (end instanceof Socket) end.setNoDelay(true).setKeepAlive(true, PEER_CHECK_MS).setTimeout(0);
    end.on("error", ignore);
    end.once("end", () => setTimeout(destroyBoth, LAST_WORDS_MS_MAX).unref());
    end.once("close", () => (other instanceof Socket ? other.destroySoon() : other.destroy()));
  }
}

function pipeWatched({ client, origin }: Ends, { check }: SessionWatch): void {
  const toOrigin = new FrameGate();
  const toClient = new FrameGate();
  client.pipe(toOrigin).pipe(origin);
  origin.pipe(toClient).pipe(client);
  const timer = setInterval(() => {
    const isInUse = toOrigin.hasCarried;
    toOrigin.hasCarried = false;
    void check({ isInUse }).then((state) => state !== "running" && close(state), ignore);
  }, CHECK_MS);
  const stop = () => clearInterval(timer);
  client.once("close", stop);
  origin.once("close", stop);

  function close(state: keyof typeof CLOSE_CODES): void {
    stop();
    toClient.closeWith(closeFrame({ code: CLOSE_CODES[state], reason: state, isFromClient: false }));
    toOrigin.closeWith(closeFrame({ code: CLOSE_CODES[state], reason: state, isFromClient: true }));
    // The one who may no longer be here does not decide when to go.
    setTimeout(() => {
      client.destroy();
      origin.destroy();
    }, LAST_WORDS_MS_MAX).unref();
  }
}

const ignore = () => undefined;

type Closing = { readonly code: number; readonly reason: string; readonly isFromClient: boolean };

const FINAL_CLOSE = 0x88;
const MASKED = 0x80;
const REASON_BYTES_MAX = 123;

/**
 * A WebSocket close frame. RFC 6455, 5.3: a client masks what it sends. The mask protects caches from a script's choice
 * of bytes; our close frame contains no such bytes, so a mask of zeros is enough.
 */
export function closeFrame({ code, reason, isFromClient }: Closing): Buffer {
  const text = Buffer.from(reason).subarray(0, REASON_BYTES_MAX);
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), text]);
  const mask = isFromClient ? Buffer.alloc(4) : Buffer.alloc(0);
  return Buffer.concat([Buffer.from([FINAL_CLOSE, (isFromClient ? MASKED : 0) | payload.length]), mask, payload]);
}
