import { Transform, type TransformCallback } from "node:stream";

/**
 * One direction of a WebSocket. Bytes pass unchanged, whatever extension the two ends use; only the frames' headers are
 * read (RFC 6455, 5.2), to know where one ends. There the gate can insert its own close frame, after which nothing
 * passes.
 */
export class FrameGate extends Transform {
  /** Whether a message, or a part of one, has passed since this was last set to false. Pings and pongs are none. */
  hasCarried = false;
  #header: number[] = [];
  #payloadLeft = 0;
  #closing: Buffer | undefined;
  #isShut = false;

  /** At the next end of a frame, which may be now. */
  closeWith(frame: Buffer): void {
    if (this.#isShut || this.#closing !== undefined) return;
    this.#closing = frame;
    if (this.#isBetweenFrames) this.#shut();
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let at = 0;
    while (at < bytes.length && !(this.#closing !== undefined && this.#isBetweenFrames)) at = this.#advance(bytes, at);
    if (at > 0 && !this.#isShut) this.push(at === bytes.length ? bytes : bytes.subarray(0, at));
    if (this.#closing !== undefined && this.#isBetweenFrames) this.#shut();
    done();
  }

  get #isBetweenFrames(): boolean {
    return this.#payloadLeft === 0 && this.#header.length === 0;
  }

  #shut(): void {
    if (this.#isShut) return;
    this.#isShut = true;
    this.push(this.#closing);
    this.push(null);
  }

  /** Past the rest of the payload, or past one byte of a header. */
  #advance(bytes: Buffer, at: number): number {
    if (this.#payloadLeft > 0) {
      const step = Math.min(this.#payloadLeft, bytes.length - at);
      this.#payloadLeft -= step;
      return at + step;
    }
    this.#header.push(bytes[at] ?? 0);
    const payloadLength = readHeader(this.#header);
    if (payloadLength !== undefined) {
      if (((this.#header[0] ?? 0) & OPCODE) < FIRST_CONTROL_OPCODE) this.hasCarried = true;
      this.#payloadLeft = payloadLength;
      this.#header = [];
    }
    return at + 1;
  }
}

const OPCODE = 0x0f;
const FIRST_CONTROL_OPCODE = 0x8;
const MASKED = 0x80;
const LENGTH = 0x7f;
const MASK_BYTES = 4;
const LENGTH_IN_2_BYTES = 126;
const LENGTH_IN_8_BYTES = 127;

/** The length of the payload, once the header is complete. */
function readHeader(header: readonly number[]): number | undefined {
  const [, second] = header;
  if (second === undefined) return undefined;
  const short = second & LENGTH;
  const lengthBytes = short === LENGTH_IN_8_BYTES ? 8 : short === LENGTH_IN_2_BYTES ? 2 : 0;
  const total = 2 + lengthBytes + (second & MASKED ? MASK_BYTES : 0);
  if (header.length < total) return undefined;
  if (lengthBytes === 0) return short;
  return header.slice(2, 2 + lengthBytes).reduce((length, byte) => length * 256 + byte, 0);
}
