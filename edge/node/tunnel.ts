import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { CHECK_MS, CLOSE_CODES, type SessionWatch } from "../proxy/session-watch.ts";
import { closeFrame } from "./close-frame.ts";
import { FrameGate } from "./frame-gate.ts";

/** How long the two ends of a closing WebSocket have for their last words. */
const LAST_WORDS_MS_MAX = 1_000;
/** A peer that has lost its power says nothing; only the kernel's question finds out. */
const PEER_CHECK_MS = 60_000;

type Ends = { readonly client: Duplex; readonly origin: Duplex };

/**
 * A WebSocket that the origin has accepted: two sockets, and bytes from one to the other. Pings, close codes and extensions are
 * between the two ends. Of a session that may be lost the frames are followed, so that it can be closed between two of them.
 */
export class Tunnel {
  readonly #origin: Duplex;
  readonly #originHead: Buffer;
  #watch: SessionWatch | undefined;
  isOpen = false;

  constructor({ origin, originHead }: { readonly origin: Duplex; readonly originHead: Buffer }) {
    this.#origin = origin;
    this.#originHead = originHead;
    // Before the tunnel is open nobody reads, and an error must not end the process.
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

  /** Nobody is going to open it. */
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
