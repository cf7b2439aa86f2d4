import type { OriginClock } from "./origin-clock.ts";

/** A request body on its way to the origin. */
export type Upload = {
  readonly body: ReadableStream<Uint8Array>;
  /** Ends the request to the origin when the client's part of it breaks. */
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** Whether the client broke off, or sent a body that is not framed as it said. */
  readonly isBroken: () => boolean;
};

type UploadOptions = {
  readonly body: ReadableStream<Uint8Array>;
  /** Content-Length as sent; null for a chunked body. */
  readonly length: string | null;
  readonly clock: OriginClock;
};

/**
 * Moves the body piece by piece, never more than one in memory, and tells the clock whose turn it is.
 * By itself the runtime would end a chunked body properly when the client breaks off, and the origin would take half
 * an upload for a whole one. So the request to the origin is aborted then.
 */
export function relayUpload({ body, length, clock }: UploadOptions): Upload {
  const channel = length === null ? new IdentityTransformStream() : new FixedLengthStream(BigInt(length));
  const controller = new AbortController();
  let isBroken = false;
  const onBroken = (error: unknown): undefined => {
    isBroken = true;
    controller.abort(error);
  };
  void movePieces({ reader: body.getReader({ mode: "byob" }), writer: channel.writable.getWriter(), clock, onBroken });
  return { body: channel.readable, signal: controller.signal, abort: () => controller.abort(), isBroken: () => isBroken };
}

type Move = {
  readonly reader: ReadableStreamBYOBReader;
  readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly clock: OriginClock;
  readonly onBroken: (error: unknown) => undefined;
};

/** Every piece is read into the same memory, so that a large upload leaves nothing behind to be collected. */
const PIECE_BYTES_MAX = 65_536;

async function movePieces({ reader, writer, clock, onBroken }: Move): Promise<void> {
  let memory: ArrayBufferLike = new ArrayBuffer(PIECE_BYTES_MAX);
  for (;;) {
    const piece: ReadableStreamReadResult<Uint8Array> | undefined = await reader.read(new Uint8Array(memory)).catch(onBroken);
    if (piece === undefined) return;
    clock.run();
    const isTaken = await (piece.done ? writer.close() : writer.write(piece.value)).then(isTrue, isFalse);
    // The origin wants no more of the body: it has answered early or is gone, and the answer says which.
    if (!isTaken) return reader.cancel().catch(ignore);
    // The clock goes on after the last piece: it is for the origin to answer now.
    if (piece.done) return;
    clock.pause();
    memory = piece.value.buffer;
  }
}

const isTrue = () => true;
const isFalse = () => false;
const ignore = () => undefined;
