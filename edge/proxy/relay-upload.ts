import { type BodyPace, createBodyPace } from "./body-pace.ts";
import type { OriginClock } from "./forwarding.ts";

/** A request body on its way to the origin. */
export type Upload = {
  readonly body: ReadableStream<Uint8Array>;
  /** Ends the request to the origin when the client's part of it breaks. */
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** `broken`: the client broke off, or sent a body that is not framed as it said; `slow`: it came too slowly. */
  readonly fault: () => "broken" | "slow" | undefined;
};

type UploadOptions = {
  readonly body: ReadableStream<Uint8Array>;
  /** Content-Length as sent; null for a chunked body. */
  readonly length: string | null;
  readonly clock: OriginClock;
  /** Of the client's pace. */
  readonly windowMs: number;
};

/**
 * Moves the body piece by piece, never more than one in memory, and tells the clock whose turn it is.
 * By itself the runtime would end a chunked body properly when the client breaks off, and the origin would take half
 * an upload for a whole one. So the request to the origin is aborted then.
 */
export function relayUpload({ body, length, clock, windowMs }: UploadOptions): Upload {
  const channel = length === null ? new IdentityTransformStream() : new FixedLengthStream(BigInt(length));
  const controller = new AbortController();
  let fault: ReturnType<Upload["fault"]>;
  const onBroken = (error: unknown): undefined => {
    fault ??= "broken";
    controller.abort(error);
  };
  const onSlow = () => {
    fault ??= "slow";
    controller.abort(new Error("the body came too slowly"));
  };
  const pace = createBodyPace({ windowMs, onSlow });
  void movePieces({
    reader: body.getReader({ mode: "byob" }),
    writer: channel.writable.getWriter(),
    clock,
    pace,
    onBroken,
  });
  return { body: channel.readable, signal: controller.signal, abort: () => controller.abort(), fault: () => fault };
}

type Move = {
  readonly reader: ReadableStreamBYOBReader;
  readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly clock: OriginClock;
  readonly pace: BodyPace;
  readonly onBroken: (error: unknown) => undefined;
};

/** Every piece is read into the same memory, so that a large upload leaves nothing behind to be collected. */
const PIECE_BYTES_MAX = 65_536;

async function movePieces({ reader, writer, clock, pace, onBroken }: Move): Promise<void> {
  let memory: ArrayBufferLike = new ArrayBuffer(PIECE_BYTES_MAX);
  for (;;) {
    pace.wait();
    const piece: ReadableStreamReadResult<Uint8Array> | undefined = await reader
      .read(new Uint8Array(memory))
      .catch(onBroken);
    pace.take(piece?.value?.length ?? 0);
    if (piece === undefined) return;
    clock.run();
    const isTaken = await (piece.done ? writer.close() : writer.write(piece.value)).then(isTrue, isFalse);
    // The origin wants no more of the body: it has answered early or is gone, and the answer says which.
    if (!isTaken) return reader.cancel().catch(ignore);
    // The clock keeps running after the last piece: now the origin has to answer.
    if (piece.done) return;
    clock.pause();
    memory = piece.value.buffer;
  }
}

const isTrue = () => true;
const isFalse = () => false;
const ignore = () => undefined;
